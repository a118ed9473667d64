// The cards of the nodes.

import { adminUrl, el, part, prose } from "./dom.js";
import { gigabytes } from "./words.js";

const MOST_SLOTS = 12; // dots; more are written as a number
const place = document.getElementById("nodes");
const empty = document.getElementById("no-nodes");
const cards = new Map();

/** Every node, in this order. */
export function drawNodes(nodes) {
  cards.clear();
  for (const node of nodes) cards.set(node.id, card(node));
  place.replaceChildren(...cards.values());
  empty.hidden = nodes.length > 0;
}

/** These nodes anew; the others stay. */
export function redrawNodes(nodes) {
  for (const node of nodes) {
    const [old, fresh] = [cards.get(node.id), card(node)];
    const focused = old.contains(document.activeElement);
    old.replaceWith(fresh);
    cards.set(node.id, fresh);
    if (focused) fresh.querySelector("a").focus();
  }
}

/** How many nodes there are. */
export const nodeCount = () => cards.size;

function card(node) {
  return el("article", { class: "card node", "data-tone": node.tone, "data-node": node.name },
    el("h3", {},
      el("span", { class: "dot" }),
      el("a", { href: adminUrl(document.body.dataset.nodeUrl, node.id), title: "Open in the admin" }, node.name),
      el("span", { class: "state" }, node.state)),
    el("p", {}, node.hardware),
    node.trouble ? el("p", { class: "trouble" }, ...prose(node.trouble)) : null,
    ...memory(node),
    el("div", { class: "chips" }, ...chips(node)),
    node.queues.length ? el("ul", { class: "queues", "aria-label": "Queues" }, ...node.queues.map(queue)) : null);
}

function memory({ memory, hot }) {
  if (!memory) {
    const models = hot.reduce((sum, model) => sum + (model.gb ?? 0), 0);
    return [el("div", { class: "legend" }, el("span", {}, "memory unknown"), models ? el("span", {}, `models ${gigabytes(models)}`) : null)];
  }
  const said = [memory.others ? `others ${gigabytes(memory.others)}` : null, `models ${gigabytes(memory.models)}`, `free ${gigabytes(memory.free)}`].filter(Boolean);
  const width = (gb) => `${(100 * gb) / memory.total}%`;
  return [
    el("div", { class: "bar", role: "img", "aria-label": `Memory: ${said.join(", ")}` },
      part(width(memory.others), "theirs"), part(width(memory.models), "ours")),
    el("div", { class: "legend", "aria-hidden": "true" }, ...said.map((text) => el("span", {}, text))),
  ];
}

function chips(node) {
  const size = (model) => (model.gb ? ` ${gigabytes(model.gb)}` : "");
  const context = (model) => `in memory${model.context ? `, context ${model.context}` : ""}`;
  return [
    ...node.hot.map((model) => el("span", { class: "chip hot", title: context(model) }, model.name + size(model))),
    ...node.warm.map((model) => el("span", { class: "chip warm", title: "unloaded a short while ago" }, model)),
    node.on_disk - node.warm.length > 0 ? el("span", { class: "chip cold" }, `+${node.on_disk - node.warm.length} on disk`) : null,
  ];
}

function queue(row) {
  return el("li", {}, el("span", { title: row.model }, row.model), slots(row), el("span", {}, waiting(row)));
}

function slots({ running, slots }) {
  const label = `${running} of ${slots} slots busy`;
  if (slots > MOST_SLOTS) return el("span", {}, `${running}/${slots} running`);
  const dots = Array.from({ length: Math.max(slots, running) }, (_, i) => el("i", { class: i < running ? "on" : null }));
  return el("span", { class: "slots", role: "img", "aria-label": label, title: label }, ...dots);
}

function waiting(row) {
  const said = [`${row.waiting} waiting`];
  if (row.waiting && row.wait_s) said.push(`~${row.wait_s} s`);
  if (row.moved) said.push(row.moved > 0 ? `moved ${row.moved} here` : `moved ${-row.moved} away`);
  return said.join(" · ");
}
