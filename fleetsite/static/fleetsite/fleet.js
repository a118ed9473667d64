// The live dashboard: what each message draws.

import { recall, setClock, start, take } from "./decisions.js";
import { follow } from "./live.js";
import { drawNodes, nodeCount, redrawNodes } from "./nodes.js";
import { drawTiles } from "./tiles.js";
import { explain } from "./why.js";
import { el } from "./dom.js";

const state = document.getElementById("state");
const age = document.getElementById("age");
const RECALL_EVERY = 5000; // ms: a page that gets picture after picture does not ask for the past each time
let recalledAt = 0;

const DRAW = {
  picture({ tiles, nodes, decisions }) {
    drawNodes(nodes);
    drawTiles(tiles);
    take(decisions);
    if (Date.now() - recalledAt > RECALL_EVERY) {
      recalledAt = Date.now();
      recall();
    }
  },
  change({ tiles, nodes, decisions }) {
    if (nodes) redrawNodes(nodes);
    if (tiles) drawTiles(tiles);
    if (decisions) take(decisions);
  },
};

const SHOWN = {
  connecting: () => ["connecting…", "soft"],
  live: () => [`live · ${nodeCount()} node${nodeCount() === 1 ? "" : "s"}`, "good"],
  stale: () => ["stale", "warn"],
  reconnecting: () => ["reconnecting…", "warn"],
  "signed out": () => ["signed out · ", "bad"],
};

function tell({ word, age: seconds }) {
  const [text, tone] = SHOWN[word]();
  const old = word !== "live" && seconds !== null;
  if (state.firstChild?.data !== text) {
    state.replaceChildren(text, ...(word === "signed out" ? [el("a", { href: document.body.dataset.loginUrl }, "sign in")] : []));
  }
  age.textContent = !old ? "" : word === "stale" ? ` since ${seconds} s` : ` stale since ${seconds} s`;
  state.parentElement.dataset.tone = tone;
  document.querySelector("main").classList.toggle("stale", old);
}

start(explain);
follow("/fleet/live", (message) => { setClock(message.now); DRAW[message.kind](message); }, tell);
