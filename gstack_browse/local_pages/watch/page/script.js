// The watch page: draws pictures, lists commands, offers tabs, sends what a person does who has a tab. Everything that
// comes from pages is set as text.
import { byId, say, stayConnected } from './ask.js';

const BUTTONS = ['left', 'middle', 'right'];
const LINE = 40;
const MOST_COMMANDS = 200;
const GONE =
  'gbrowse does not answer any more: it was killed, or the way to its machine is broken. This page goes on if it comes '
  + 'back; else run gbrowse watch for a new address.';
// `rows`: command's number → its list item. `taken`: the number of the tab that the person has, or 0. `running`: the list
// items of commands that run, with the numbers of their tabs.
const state = {
  socket: null,
  isOver: false,
  isLost: false,
  rows: new Map(),
  note: '',
  taken: 0,
  running: new Map(),
};

/** Send a message to the daemon as JSON; do nothing if the connection is broken. */
function send(message) {
  if (state.socket?.readyState === WebSocket.OPEN)
    state.socket.send(JSON.stringify(message));
}

/** Draw a picture of the watched page (`blob`: its file), then ask the daemon for the next one. */
async function draw(blob) {
  const canvas = byId('picture');
  try {
    const picture = await createImageBitmap(blob);
    if (canvas.width !== picture.width || canvas.height !== picture.height)
      Object.assign(canvas, { width: picture.width, height: picture.height });
    canvas.getContext('2d')?.drawImage(picture, 0, 0);
    picture.close();
  } finally {
    send({ do: 'drawn' });
  }
}

/** Update the list of tabs, the address of the shown tab, and who controls it. `update`: the daemon's `state` message. */
function showState(update) {
  const options = update.tabs.map((tab) => {
    const context = tab.context ? `${tab.context}: ` : '';
    return new Option(
      `${context}${tab.tab} ${tab.url || 'blank'}`,
      tab.tab,
      false,
      !update.follows && tab.tab === update.shown,
    );
  });
  const isTaken = update.control === 'person';
  const followed = isTaken && update.follows ? `tab ${update.shown}, yours` : 'where commands run';
  byId('tabs').replaceChildren(new Option(followed, '0', false, update.follows), ...options);
  byId('url').textContent = update.shown ? `${update.shown}  ${update.url}` : '';
  byId('nothing').hidden = Boolean(update.shown) && !update.gone;
  byId('nothing').textContent = update.gone || 'No page is open yet. It appears here as soon as a command opens one.';
  byId('picture').hidden = !update.shown || Boolean(update.gone);
  control.show(update.control, Boolean(update.shown));
  if (update.note !== state.note) {
    state.note = update.note;
    say(update.note);
  }
  state.taken = isTaken ? update.shown : 0;
  for (const [row, tab] of state.running)
    showRunning(row, tab);
}

/**
 * Show in a command's list item (`row`) that it runs, or that it waits for the person who controls its tab. `tab`: number of its tab;
 * 0 without one.
 */
function showRunning(row, tab) {
  row.firstElementChild.textContent = tab && tab === state.taken ? 'waits for you' : 'runs …';
}

/** Create the list item of a command of the daemon: its line, and elements for its state and its reply. */
function createRow(command) {
  const row = document.createElement('li');
  const facts = document.createElement('span');
  facts.className = 'facts';
  const line = document.createElement('code');
  line.textContent = command.context ? `${command.context}: ${command.line}` : command.line;
  const reply = document.createElement('pre');
  reply.tabIndex = 0;
  row.append(facts, line, reply);
  row.classList.toggle('step', command.depth > 0);
  return row;
}

/**
 * Add a command to the list, or update its list item. `command`: the daemon's message at the command's begin (`code` is null) and at its
 * end: { command: number, context, line, depth, tab, code, seconds, reply }.
 */
function showCommand(command) {
  const list = byId('commands');
  let row = state.rows.get(command.command);
  if (!row) {
    row = createRow(command);
    state.rows.set(command.command, row);
    list.prepend(row);
  }
  const [facts, , reply] = row.children;
  const isRunning = command.code === null;
  if (isRunning) {
    state.running.set(row, command.tab);
    showRunning(row, command.tab);
  } else {
    state.running.delete(row);
    facts.textContent = command.code ? `exit ${command.code}` : `${command.seconds.toFixed(1)} s`;
  }
  row.classList.toggle('failed', Boolean(command.code));
  reply.textContent = command.reply;
  reply.hidden = !command.reply;
  for (const number of [...state.rows.keys()].slice(0, Math.max(state.rows.size - MOST_COMMANDS, 0))) {
    state.rows.get(number)?.remove();
    state.rows.delete(number);
  }
}

/** Handle a message of the daemon (`data`): a picture as a Blob, or JSON on tabs or on a command. */
function onMessage({ data }) {
  if (data instanceof Blob) {
    draw(data).catch(() => {});
    return;
  }
  const message = JSON.parse(data);
  if (message.state)
    showState(message.state);
  else
    showCommand(message);
}

/** Show that the connection to the daemon is lost. `text`: why, and how to go on. */
function showLost(text) {
  document.body.classList.add('lost');
  control.show('off', false);
  for (const row of state.running.keys())
    row.firstElementChild.textContent = 'not known';
  say(text);
}

/** Connect to the daemon by a web socket, and again whenever the connection is lost. */
function connect() {
  const socket = state.socket = new WebSocket(new URL('live', location.href.replace('http', 'ws')));
  socket.addEventListener('open', () => {
    document.body.classList.remove('lost');
    say('');
  });
  socket.addEventListener('message', onMessage);
  socket.addEventListener('close', ({ code, reason }) => {
    const isOver = code === 1008 || code === 1001 && reason;
    state.isOver ||= isOver;
    if (isOver)
      showLost(code === 1008 ? `This is shown in ${reason} now.` : reason);
    else if (!state.isOver) {
      showLost(state.isLost ? GONE : 'The connection is lost. Trying again …');
      setTimeout(connect, 1000);
    }
  });
}

/** Return the modifier keys of a mouse or key event as the bit mask of Chromium's protocol. */
function modifierMask(event) {
  return (event.altKey ? 1 : 0) + (event.ctrlKey ? 2 : 0) + (event.metaKey ? 4 : 0) + (event.shiftKey ? 8 : 0);
}

// Sends a person's input on the canvas to the daemon, and takes over or gives back the tab by the button.
class Control {
  constructor(canvas, button, send) {
    this.canvas = canvas;
    this.button = button;
    this.send = send;
    this.has = false;
    this.move = null;
    button.addEventListener('click', () => send({ do: this.state === 'none' ? 'take' : 'give' }));
    for (const [name, kind] of [['mousedown', 'down'], ['mouseup', 'up'], ['mousemove', 'move'], ['wheel', 'wheel']])
      canvas.addEventListener(name, (event) => this.onMouse(kind, event), { passive: false });
    for (const kind of ['keydown', 'keyup'])
      canvas.addEventListener(kind, (event) => this.onKey(kind, event));
    canvas.addEventListener('contextmenu', (event) => this.has && event.preventDefault());
    document.addEventListener('paste', (event) => this.onPaste(event));
  }

  /** Update the button and the picture by who controls the tab. `state`: off, none, waiting or person. */
  show(state, isShown) {
    const began = state === 'person' && !this.has;
    this.state = state;
    this.has = state === 'person';
    this.button.hidden = state === 'off' || !isShown;
    this.button.textContent = { waiting: 'Waiting for the command to end …', person: 'Give back' }[state]
      ?? 'Take over';
    this.canvas.classList.toggle('controlled', this.has);
    this.canvas.tabIndex = this.has ? 0 : -1;
    if (began)
      this.canvas.focus();
  }

  /** Send a mouse event, if the person controls the tab. `kind`: down, up, move or wheel. */
  onMouse(kind, event) {
    if (!this.has)
      return;
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    const message = {
      do: kind,
      x: (event.clientX - box.left) / box.width,
      y: (event.clientY - box.top) / box.height,
      button: BUTTONS[event.button],
      buttons: event.buttons,
      clicks: event.detail,
      modifiers: modifierMask(event),
    };
    if (kind === 'down')
      this.canvas.focus();
    if (kind === 'wheel') {
      const unit = event.deltaMode ? LINE : 1;
      Object.assign(message, { dx: event.deltaX * unit, dy: event.deltaY * unit });
    }
    if (kind === 'move')
      this.moveSoon(message);
    else
      this.send(message);
  }

  /** Send a `move` message with the next frame; of several in a frame only the last. */
  moveSoon(message) {
    if (!this.move)
      requestAnimationFrame(() => {
        this.send(this.move);
        this.move = null;
      });
    this.move = message;
  }

  /** Send a key event, if the person controls the tab. Pasting is left to `onPaste`. */
  onKey(kind, event) {
    const isPaste = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v';
    if (!this.has || isPaste || event.isComposing)
      return;
    event.preventDefault();
    const { key, code, keyCode: number, location } = event;
    this.send({ do: kind, key, code, number, location, modifiers: modifierMask(event) });
  }

  /** Send the pasted text, if the person controls the tab and the canvas has the focus. */
  onPaste(event) {
    if (!this.has || document.activeElement !== this.canvas)
      return;
    event.preventDefault();
    this.send({ do: 'paste', text: event.clipboardData?.getData('text/plain') ?? '' });
  }
}

const control = new Control(byId('picture'), byId('take'), send);
byId('tabs').addEventListener('change', ({ target }) => send({ do: 'show', tab: Number(target.value) }));
stayConnected(
  () => {
    state.isLost = true;
    showLost(GONE);
  },
  () => {
    state.isLost = false;
  },
  () => state.isOver,
);
connect();
