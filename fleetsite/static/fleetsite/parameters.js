// Finds parameters, marks what was changed, and warns before a page with changes is left. The page works without it.
const root = document.querySelector(".fleet-parameters");
const form = root.querySelector("form");
const entries = [...form.querySelectorAll(".entry")];
const count = form.querySelector(".count");
const search = form.querySelector("#filter");
let saving = false;

const entered = (field) => (field.type === "checkbox" ? String(field.checked) : field.value.trim());

function isChanged(entry) {
  const revert = entry.querySelector(".revert input");
  const field = entry.querySelector(".field :is(input, select)");
  return Boolean(revert?.checked) || entered(field) !== entry.querySelector("input[type=hidden]").value.trim();
}

function mark() {
  for (const entry of entries) entry.classList.toggle("changed", isChanged(entry));
  const changed = form.querySelectorAll(".entry.changed").length;
  if (count) count.textContent = changed ? `${changed} changed` : "";
  return changed;
}

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of entries) {
    const text = entry.querySelector(".what").textContent.toLowerCase();
    entry.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of form.querySelectorAll("section")) {
    section.hidden = !section.querySelector(".entry:not([hidden])");
  }
}

search.hidden = false;
search.addEventListener("input", find);
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault();
});
form.addEventListener("input", mark);
form.addEventListener("submit", () => { saving = true; });
addEventListener("beforeunload", (event) => {
  if (!saving && mark()) event.preventDefault();
});
addEventListener("pageshow", () => { saving = false; mark(); });
