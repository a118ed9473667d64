// One live connection: a whole picture, then changes. Reconnects, and says when what it shows is old.

const QUIET = 5000; // ms without a word from the server after which the page is stale
const FIRST_DELAY = 500, LONGEST_DELAY = 10000; // ms between two tries
const NOT_SIGNED_IN = 4401;

/** Follow `path`. `hear(message)` draws; `tell({word, age})` shows the state: connecting, live, stale, reconnecting, signed out. */
export function follow(path, hear, tell) {
  let heardAt = 0, delay = FIRST_DELAY, word = "connecting", socket = null, retry = 0;

  const open = () => {
    clearTimeout(retry);
    socket = new WebSocket(new URL(path, location.href.replace(/^http/, "ws")));
    socket.onmessage = ({ data }) => {
      heardAt = Date.now();
      delay = FIRST_DELAY;
      hear(JSON.parse(data));
      socket.send("drawn");
      show("live");
    };
    socket.onclose = ({ code }) => {
      if (code === NOT_SIGNED_IN) return show("signed out");
      show("reconnecting");
      retry = setTimeout(open, delay * (0.75 + Math.random() / 2));
      delay = Math.min(delay * 2, LONGEST_DELAY);
    };
  };

  const show = (next) => {
    word = next;
    tell({ word, age: heardAt ? Math.round((Date.now() - heardAt) / 1000) : null });
  };

  setInterval(() => {
    if (word === "live" && Date.now() - heardAt > QUIET) show("stale");
    else if (word !== "live") show(word);
  }, 1000);
  addEventListener("online", () => socket.readyState === WebSocket.CLOSED && word !== "signed out" && open());
  open();
}
