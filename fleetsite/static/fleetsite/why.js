// Why a decision went where it went: every candidate with its eight signals, who was out, what was tried, how long it took.

import { adminUrl, el, part } from "./dom.js";
import { asked, clock, colour, count, DASH, duration, outcome, points, short, SIGNALS, words } from "./words.js";

const panel = document.getElementById("why");
let shown = null, closed = () => {};

/** Show this decision; `askedFor` by a person: open the panel. `back` gives the focus back when it is closed. */
export async function explain(line, askedFor = false, back = closed) {
  [shown, closed] = [line.id, back];
  const answer = await fetch(`/fleet/api/v1/decisions/${encodeURIComponent(line.id)}`).catch(() => null);
  if (shown !== line.id) return; // another was chosen meanwhile
  if (!answer?.ok) return panel.replaceChildren(el("p", { class: "hint" }, "This decision can't be read just now; choose it again."));
  draw(await answer.json(), line);
  if (askedFor) panel.classList.add("open");
}

panel.addEventListener("keydown", ({ key }) => key === "Escape" && close());

function draw(decision, line) {
  const { word, tone } = outcome({ ...decision, stage: line.stage });
  const scroll = panel.scrollTop;
  panel.replaceChildren(el("div", {},
    el("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "×"),
    el("h3", {}, decision.node ? `Why ${decision.node}?` : decision.outcome === null ? "No node yet" : "Why no node?"),
    el("p", {}, facts(decision).join(" · ")),
    ranking(decision),
    decision.reason ? el("div", { class: "said-why", "data-tone": tone }, decision.reason) : null,
    ...timeline(decision),
    ...attempts(decision),
    el("h4", {}, el("span", { class: "out", "data-tone": tone }, word), ` · ${clock(decision.at)} · `,
      el("a", { href: adminUrl(document.body.dataset.decisionUrl, decision.id) }, "open in the admin"))));
  panel.scrollTop = scroll;
}

/** Where there is no room for the panel beside the page, it lies over it until it is closed. */
function close() {
  panel.classList.remove("open");
  closed();
}

function facts(decision) {
  const tokens = decision.candidates[0]?.inputs.estimated_tokens;
  return [
    asked(decision),
    tokens ? `${count(tokens)} token${tokens === 1 ? "" : "s"}` : null,
    decision.session ? `session ${decision.session.slice(0, 3)}…` : null,
    decision.key ? `key ${decision.key}` : null,
    `${decision.policy || "additive"} v${decision.parameters_version}`,
  ].filter(Boolean);
}

function ranking(decision) {
  const several = new Set([...decision.candidates, ...decision.eliminated].map((c) => c.model)).size > 1;
  const heads = SIGNALS.map((name) =>
    el("th", { scope: "col", title: name.replaceAll("_", " ") }, words.signals[name], part("100%", null, colour(name))));
  const rows = decision.candidates.map((candidate) => scored(candidate, decision, several));
  const gone = decision.eliminated.map((out) => eliminated(out, several));
  if (!rows.length && !gone.length) return el("p", {}, "Nothing was ranked: it did not get that far.");
  return el("div", { class: "wide" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "candidate"), ...heads, el("th", { scope: "col" }, "total"))),
    el("tbody", {}, ...rows, ...gone, ...uncounted(decision))));
}

function name(candidate, several) {
  const text = several ? `${candidate.node} · ${short(candidate.model)}` : candidate.node;
  return el("td", { class: "name", title: text }, text);
}

function scored(candidate, decision, several) {
  const won = candidate.node === decision.node && candidate.model === decision.served_model;
  return el("tr", { class: won ? "win" : null }, name(candidate, several),
    ...SIGNALS.map((signal) => el("td", {}, points(candidate.signals[signal]))),
    el("td", { class: "total" }, points(candidate.score)));
}

function eliminated(out, several) {
  const why = words.reasons[out.reason] ?? out.reason.replaceAll("_", " ");
  return el("tr", { class: "gone" }, name(out, several), el("td", { colspan: SIGNALS.length + 1 }, `out: ${why}`));
}

/** Where more were out than are listed. */
function uncounted(decision) {
  const all = Object.values(decision.eliminated_counts ?? {}).reduce((sum, n) => sum + n, 0);
  const more = all - decision.eliminated.length;
  return more > 0 ? [el("tr", { class: "gone" }, el("td", {}, ""), el("td", { colspan: SIGNALS.length + 1 }, `… and ${more} more`))] : [];
}

function timeline(decision) {
  const [held, queued, first, total] = [decision.held_ms ?? 0, decision.queue_ms ?? 0, decision.first_token_ms, decision.total_ms];
  const untilFirst = first === null ? 0 : Math.max(0, first - held - queued);
  const rest = total === null ? null : Math.max(0, total - (first ?? held + queued));
  const spans = [[held, "var(--s3)", "held"], [queued, "var(--s4)", "queued"], [untilFirst, "var(--s2)", "first token"]];
  if (first !== null) spans.push([rest, "var(--s5)", "answering"]);
  const whole = spans.reduce((sum, [ms]) => sum + (ms ?? 0), 0);
  if (!whole) return [];
  const said = spans.filter(([ms, , what]) => ms || what === "queued").map(([ms, , what]) => `${what} ${ms === null ? "…" : duration(ms)}`);
  return [
    el("div", { class: "time", role: "img", "aria-label": said.join(", ") },
      ...spans.filter(([ms]) => ms).map(([ms, shade]) => part(`${(100 * ms) / whole}%`, null, shade))),
    el("div", { class: "legend", "aria-hidden": "true" }, ...said.map((text) => el("span", {}, text))),
  ];
}

function attempts(decision) {
  const tried = decision.attempts ?? [];
  const moved = decision.moves ? [el("li", {}, `moved ${decision.moves} × to a shorter queue while it waited`)] : [];
  if (!tried.length && !moved.length) return [];
  const items = tried.map((one) => el("li", {}, el("b", {}, one.node || DASH), ` ${one.error}`, one.ms ? ` · ${duration(one.ms)}` : ""));
  return [el("h4", {}, "On the way"), el("ul", {}, ...items, ...moved)];
}
