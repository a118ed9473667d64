// The six figures at the top.

import { DASH, duration, rate } from "./words.js";

const share = (value) => (value === null ? DASH : `${Math.round(value * 100)}%`);
const SHOWN = {
  requests: (t) => rate(t.requests),
  running: (t) => t.running,
  waiting: (t) => t.waiting,
  held: (t) => t.held,
  first50: (t) => duration(t.first_ms[0]),
  first95: (t) => duration(t.first_ms[1]),
  total50: (t) => duration(t.total_ms[0]),
  total95: (t) => duration(t.total_ms[1]),
  tokens_out: (t) => rate(t.tokens_out),
  tokens_in: (t) => rate(t.tokens_in),
  hot: (t) => share(t.hot),
  cold: (t) => t.cold,
};

/** Write the figures into their places. */
export function drawTiles(tiles) {
  for (const place of document.querySelectorAll("[data-tile]")) {
    const text = String(SHOWN[place.dataset.tile](tiles));
    if (place.textContent !== text) place.textContent = text;
  }
}
