// What every page of ours has: questions to its server, and what came of them in a line at the bottom.
const MOST_FAILURES = 3;
const LONGEST_PAUSE = 3000;

export const at = (id) => document.getElementById(id);

history.replaceState(null, '', location.pathname); // the token is used up; it need not stay in the history

/** The server's answer. `closed` is what to say where there is no server any more. */
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

export function say(text) {
  at('status').textContent = text;
}

export async function busy(work) {
  say('Working …');
  try {
    say((await work()) ?? '');
  } catch (error) {
    say(error.message);
  }
}

/**
 * Hold a connection for as long as this window shows the page, and `isOver` says no. A connection that breaks is tried again, as a
 * tunnel may come back: `lost` is called when it seems that the server has gone, `found` when it is there after all.
 */
export function stayConnected(lost, found, isOver = () => false) {
  const address = new URL('window', location.href.replace('http', 'ws'));
  let failures = 0;
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
