// Shared by all loopback pages: requests to the server, and a status line at the bottom.
const MOST_FAILURES = 3;
const LONGEST_PAUSE = 3000;

/** Return the element with that id. */
export const at = (id) => document.getElementById(id);

history.replaceState(null, '', location.pathname); // the token is used up; it need not stay in the history

/**
 * Request `path` (by POST if `content` is given) and return the JSON. Throws Error(`closed`) if the server is gone.
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

/** Show a text in the status line. */
export function say(text) {
  at('status').textContent = text;
}

/** Run `work`, showing in the status line that it runs, then the text that it returns or its error. */
export async function busy(work) {
  say('Working …');
  try {
    say((await work()) ?? '');
  } catch (error) {
    say(error.message);
  }
}

/**
 * Hold a connection while this window shows the page, until `isOver` returns true: so the server notices the window.
 * A broken connection is retried, as a tunnel may come back: `lost` is called after several failures, `found` when
 * the server answers again.
 */
export function stayConnected(lost, found, isOver = () => false) {
  const address = new URL('window', location.href.replace('http', 'ws'));
  let failures = 0;
  /** Open the connection, and again when it breaks. */
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
