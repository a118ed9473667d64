// The table of decisions: newest on top, chosen by pointer or keyboard, still while somebody points at it.

import { el, part } from "./dom.js";
import { asked, clock, colour, DASH, duration, outcome, points, SIGNALS, words } from "./words.js";

const KEPT = 50; // rows, and as many more with each page of older ones
const STILL = 3000; // ms after the pointer or a key in which no row moves
const body = document.querySelector("#decisions tbody");
const heldBack = document.getElementById("held-back");
const olderButton = document.getElementById("older");
const lines = new Map(); // id → line
const rows = new Map(); // id → row on the page
let waiting = new Map(); // id → line that comes as soon as nobody points
let chosen = null, touchedAt = 0, kept = KEPT, nextPage = null, skew = 0, onChoose = () => {};

/** Call `choose(line)` whenever a decision is chosen, or the chosen one has changed. */
export function start(choose) {
  onChoose = choose;
  const touch = () => { touchedAt = Date.now(); };
  body.addEventListener("pointermove", (event) => event.pointerType === "mouse" && touch());
  body.addEventListener("click", ({ target }) => { const row = target.closest("tr"); if (row) pick(row); });
  body.addEventListener("keydown", (event) => { touch(); steer(event); });
  heldBack.addEventListener("click", release);
  olderButton.addEventListener("click", older);
  setInterval(() => {
    if (waiting.size && Date.now() - touchedAt > STILL) release();
    for (const line of lines.values()) if (isWaiting(line)) rows.get(line.id).querySelector(".wait").textContent = waited(line);
  }, 500);
}

/** The server's clock now, epoch seconds: waits are counted by it. */
export function setClock(now) {
  skew = now * 1000 - Date.now();
}

/** Lines from the live stream: of a decision that is shown, its new state; else a new row. */
export function take(fresh) {
  const still = Date.now() - touchedAt < STILL;
  for (const line of fresh) {
    if (rows.has(line.id) || !still) put(line);
    else waiting.set(line.id, line);
  }
  settle();
}

/** The latest page of the past; what is live is known better. */
export async function recall() {
  const page = await fetchPage("/fleet/api/v1/decisions?limit=50");
  if (page && nextPage === null) nextPage = page.next;
  settle();
}

async function older() {
  olderButton.disabled = true;
  kept += KEPT;
  const page = await fetchPage(nextPage);
  if (page) nextPage = page.next ?? "";
  olderButton.disabled = false;
  settle();
}

async function fetchPage(url) {
  const answer = await fetch(url).catch(() => null);
  if (!answer?.ok) return null;
  const page = await answer.json();
  for (const decision of page.results) {
    const known = lines.get(decision.id);
    if (!known || (known.outcome === null && decision.outcome !== null)) put(narrow(decision));
  }
  return page;
}

/** A decision of the API as a line of the live stream. */
function narrow(decision) {
  const won = decision.candidates.find((c) => c.node === decision.node && c.model === decision.served_model);
  const { candidates, eliminated, eliminated_counts, attempts, ...line } = decision;
  return { ...line, stage: null, signals: won?.signals ?? null };
}

function release() {
  const fresh = [...waiting.values()];
  waiting = new Map();
  touchedAt = 0;
  take(fresh);
}

function put(line) {
  lines.set(line.id, line);
  const [old, fresh] = [rows.get(line.id), row(line)];
  rows.set(line.id, fresh);
  if (old) {
    const focused = document.activeElement === old;
    old.replaceWith(fresh);
    if (focused) fresh.focus();
  } else insert(line, fresh);
  if (line.id === chosen) onChoose(line);
}

/** Ids grow with time; almost always the place is the top. */
function insert(line, fresh) {
  let after = body.firstElementChild;
  while (after && after.dataset.id > line.id) after = after.nextElementSibling;
  if (!after || after === body.firstElementChild) fresh.classList.add("new");
  body.insertBefore(fresh, after);
}

function settle() {
  while (body.children.length > kept && body.lastElementChild.dataset.id !== chosen) {
    const { id } = body.lastElementChild.dataset;
    body.lastElementChild.remove();
    rows.delete(id);
    lines.delete(id);
  }
  document.getElementById("no-decisions").hidden = body.children.length > 0;
  document.getElementById("decisions").hidden = body.children.length === 0;
  olderButton.hidden = !nextPage || body.children.length < KEPT;
  heldBack.hidden = waiting.size === 0;
  heldBack.textContent = `${waiting.size} new`;
  if (!body.querySelector('[tabindex="0"]')) body.firstElementChild?.setAttribute("tabindex", "0");
}

function pick(row) {
  const before = rows.get(chosen);
  before?.setAttribute("aria-selected", "false");
  chosen = row.dataset.id;
  row.setAttribute("aria-selected", "true");
  reach(row);
  onChoose(lines.get(chosen), true, () => rows.get(chosen)?.focus());
}

/** Make a row the one that the Tab key comes to. */
function reach(row) {
  for (const other of body.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
  row.setAttribute("tabindex", "0");
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

const STEPS = {
  ArrowDown: (row) => row.nextElementSibling,
  ArrowUp: (row) => row.previousElementSibling,
  Home: () => body.firstElementChild,
  End: () => body.lastElementChild,
};

function steer(event) {
  const row = event.target.closest("tr");
  const to = STEPS[event.key]?.(row);
  if (to) reach(to);
  if (event.key === "Enter" || event.key === " ") pick(row);
  if (event.key in STEPS || event.key === "Enter" || event.key === " ") event.preventDefault();
}

function row(line) {
  const { word, tone } = outcome(line);
  const cell = (name, ...content) => el("td", { role: "gridcell", class: name }, ...content);
  const is = line.id === chosen;
  const reachable = rows.get(line.id)?.getAttribute("tabindex") ?? "-1";
  const fresh = el("tr", { role: "row", "data-id": line.id, "data-tone": tone, tabindex: reachable, "aria-selected": String(is) },
    cell("when", clock(line.at)), cell("asked", asked(line)), cell("node-name", line.node ?? "—"), cell("bar-cell", signals(line)),
    cell("num points", points(line.score)), cell("num wait", waited(line)), cell("num first", duration(line.first_token_ms)),
    cell("num out", word));
  fresh.children[1].title = asked(line);
  return fresh;
}

const isWaiting = (line) => line.stage === "held" || line.stage === "waiting";

/** How long it was held and queued, or has been until now. */
function waited(line) {
  return duration(isWaiting(line) ? Math.max(0, Date.now() + skew - Date.parse(line.at)) : line.held_ms + line.queue_ms);
}

/** What speaks for the node to the right of zero, what speaks against it to the left. */
function signals(line) {
  if (!line.signals) return el("div", { class: "said", title: line.reason }, line.reason || (line.outcome ? DASH : ""));
  const given = SIGNALS.filter((name) => line.signals[name]);
  const label = given.map((name) => `${words.signals[name]} ${points(line.signals[name])}`).join(", ");
  const side = (className, names) =>
    el("span", { class: className }, ...names.map((name) => part(`calc(${Math.abs(line.signals[name])} * var(--point))`, null, colour(name))));
  return el("span", { class: "score", role: "img", "aria-label": `signals: ${label}`, title: label },
    side("neg", given.filter((name) => line.signals[name] < 0).reverse()),
    side("pos", given.filter((name) => line.signals[name] > 0)));
}
