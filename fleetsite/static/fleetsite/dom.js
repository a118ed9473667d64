// Small helpers to build elements. Text is always text: names come from clients and nodes.

/** An element: `el("p", {class: "soft", onclick: f}, "text", child, …)`; null children are left out. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A coloured part of a bar, `width` with its unit. */
export function part(width, className, colour) {
  const element = el("i", { class: className });
  element.style.width = width;
  if (colour) element.style.background = colour;
  return element;
}

/** An admin page; its addresses write `_` as `_5F`. */
export function adminUrl(template, id) {
  return template.replace("ID", encodeURIComponent(id.replaceAll("_", "_5F")));
}

/** Words with commands in `backticks`. */
export function prose(text) {
  return text.split("`").map((piece, i) => (i % 2 ? el("code", {}, piece) : piece));
}
