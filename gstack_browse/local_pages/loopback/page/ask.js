// Shared by all loopback pages: requests to the server, and a status line at the bottom.
const MOST_FAILURES = 3;
const LONGEST_PAUSE = 3000;

/** Return the element of this page with that id. */
export const byId = (id) => document.getElementById(id);

history.replaceState(null, '', location.pathname); // the token is used up; it need not stay in the history

/**
 * Request `path` from the page's server, by POST with `content` as JSON if that is given, and return the JSON of the response.
 * Throws an Error with the text `closed` if the server is gone, with the server's text if it refuses.
 */
export async function ask(path, content, closed) {
  const options = content === undefined ? {} : {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(content),
  };
  const answer = await fetch(path, options).catch(() => null);
  if (!answer)
    throw new Error(closed);
  if (!answer.ok)
    throw new Error(await answer.text());
  return answer.json();
}

/** Show a text in the status line at the bottom of the page. */
export function say(text) {
  byId('status').textContent = text;
}

/** Await the function `work`; show in the status line that it runs, then the text that it returns, or its error. */
export async function runWithStatus(work) {
  say('Working …');
  try {
    say((await work()) ?? '');
  } catch (error) {
    say(error.message);
  }
}

/**
 * Hold a web socket while this window shows the page, by which the server sees that there is a window. A broken connection is made
 * again, as a tunnel may come back, unless `isOver` returns true. `lost` is called after several failures, `found` once the server
 * answers again.
 */
export function stayConnected(lost, found, isOver = () => false) {
  const address = new URL('window', location.href.replace('http', 'ws'));
  let failures = 0;
  /** Open the web socket, and again when it closes. */
  const connect = () => {
    const socket = new WebSocket(address);
    socket.addEventListener('open', () => {
      if (failures > MOST_FAILURES)
        found();
      failures = 0;
    });
    socket.addEventListener('close', () => {
      if (isOver())
        return;
      failures += 1;
      if (failures === MOST_FAILURES + 1)
        lost();
      setTimeout(connect, Math.min(200 * failures, LONGEST_PAUSE));
    });
  };
  connect();
}
