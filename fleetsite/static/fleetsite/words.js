// How numbers and codes are written. The words themselves come from the server, in one table.

export const words = JSON.parse(document.getElementById("words").textContent);
export const SIGNALS = Object.keys(words.signals);
export const colour = (signal) => `var(--s${SIGNALS.indexOf(signal) + 1})`;
export const DASH = "–";

/** One decimal at most, with a true minus sign. */
export function points(value) {
  return value === null || value === undefined ? DASH : String(Math.round(value * 10) / 10).replace("-", "−");
}

/** Milliseconds as people read them: 12 ms, 0.61 s, 6.8 s, 31 s. */
export function duration(ms) {
  if (ms === null || ms === undefined) return DASH;
  const seconds = ms / 1000;
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (seconds < 1) return `${seconds.toFixed(2)} s`;
  return seconds < 20 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}

/** 0.6 GB, 48 GB. */
export const gigabytes = (gb) => `${gb < 10 ? Math.round(gb * 10) / 10 : Math.round(gb)} GB`;

/** 3.2, 214, 3.1k. */
export function rate(value) {
  if (value === null || value === undefined) return DASH;
  if (value >= 1000) return `${(value / 1000).toFixed(1)}k`;
  return value >= 10 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}

/** Thousands apart: 1 240. */
export const count = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, " ");

/** The local time of day, to a tenth of a second. */
export function clock(iso) {
  const at = new Date(iso);
  const two = (n) => String(n).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${Math.floor(at.getMilliseconds() / 100)}`;
}

/** A model's name; `:latest` goes without saying. */
export const short = (model) => model.replace(/:latest$/, "");

/** What was asked and, where it differs, what served. */
export function asked(line) {
  const [wanted, served] = [short(line.requested_model || DASH), short(line.served_model ?? "")];
  return served && served.toLowerCase() !== wanted.toLowerCase() ? `${wanted} → ${served}` : wanted;
}

/** The word and tone of how a request came out, or where it stands. */
export function outcome(line) {
  const [word, tone] = words.outcomes[line.outcome ?? line.stage ?? "running"] ?? [line.outcome, "soft"];
  return { word, tone };
}
