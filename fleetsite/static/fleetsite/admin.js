/* The nodes' list follows the fleet; a secret is copied. */
const EVERY = 3000; // ms
const FOLLOWED = ["state", "memory", "resident", "queue", "last_seen"];

document.addEventListener("click", (event) => {
  const copies = event.target.closest?.("[data-copies]");
  if (copies) navigator.clipboard?.writeText(document.getElementById(copies.dataset.copies).textContent).then(() => { copies.textContent = "Copied"; });
});

/** The cells of each row, by the value of its checkbox or link. */
function rows(page) {
  const found = new Map();
  for (const row of page.querySelectorAll("#result_list tr.data-row")) {
    const link = row.querySelector(".field-node a");
    if (link) found.set(link.getAttribute("href").split("?")[0], row);
  }
  return found;
}

async function follow() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { credentials: "same-origin", redirect: "error" });
    if (!answer.ok) return;
    const fresh = rows(new DOMParser().parseFromString(await answer.text(), "text/html"));
    for (const [key, row] of rows(document)) {
      for (const name of FOLLOWED) {
        const [shown, now] = [row, fresh.get(key)].map((each) => each?.querySelector(`.field-${name}`));
        if (shown && now && shown.innerHTML !== now.innerHTML) shown.innerHTML = now.innerHTML;
      }
    }
  } catch { /* the server restarts: the next look tells */ }
}

addEventListener("DOMContentLoaded", () => {
  if (document.body.matches(".app-nodes.model-node.change-list")) setInterval(follow, EVERY);
});
