// The board's page: shows the pictures, stores the person's draft answer, sends it. Titles and names of files are set as
// text, never as markup.
import { ask, at, busy, say, stayConnected } from './ask.js';
import { createPictureItem } from './cards.js';
import { openSwipe, openZoom } from './viewers.js';

const CLOSED =
  'The board is closed, or the way to it is broken. Tell the agent in words, or have it run board-compare again.';
const ROUND_PAUSE = 1000;
const DRAFT = `draft ${location.pathname}`;

// The answer so far. It survives a reload of the page.
const draft = { chosen: '', remarks: {}, mix: {}, comment: '', ...readDraft() };

/** Return the draft answer that was stored before a reload of the page; {} for none. */
function readDraft() {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFT)) ?? {};
  } catch {
    return {}; // storage is disabled
  }
}

/** Store the draft answer, so that it survives a reload of the page. */
function save() {
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  } catch {
    // Storage is disabled. Only a reload would need the draft.
  }
}

/** Send the draft as the answer with a verdict, and show the reply. `more`: the picture to get more like. */
function sendAnswer(verdict, more = '') {
  return busy(async () => {
    const content = { verdict, more, ...draft };
    const answer = await ask('answer', content, CLOSED).catch((error) => {
      if (error.message === CLOSED)
        showUnsent(content);
      throw error;
    });
    disableControls();
    if (answer.goes_on)
      setTimeout(awaitNextRound, ROUND_PAUSE);
    return answer.said;
  });
}

/** Show the answer as text to copy: the daemon has ended, and what the person has written must not be lost. */
function showUnsent(content) {
  at('unsent').hidden = false;
  at('unsent-text').value = JSON.stringify(content, null, 2);
  at('unsent-copy').onclick = async () => {
    at('unsent-text').select();
    await navigator.clipboard.writeText(at('unsent-text').value).then(
      () => say('Copied.'),
      () => say('Press Ctrl+C, or Cmd+C, to copy it.'),
    );
  };
}

/** Say that the board is closed, unless that was said when the answer could not be sent: "Copied." must stay. */
function sayClosed() {
  if (at('unsent').hidden)
    say(CLOSED);
}

/** Ask for the address of the agent's next board until there is one, and go there. */
async function awaitNextRound() {
  try {
    const { address } = await ask('next', undefined, '');
    if (address)
      location.replace(address);
    else
      setTimeout(awaitNextRound, ROUND_PAUSE);
  } catch {
    say('Sent. The agent has not shown another round; you can close this page.');
  }
}

/** Say which picture is chosen. */
function showChosen() {
  at('picked').textContent = draft.chosen ? `We'll move forward with option ${draft.chosen}.` : '';
}

/** Disable all controls and delete the stored draft: the answer is sent. */
function disableControls() {
  for (const control of document.querySelectorAll('button, input, select, textarea'))
    control.disabled = true;
  at('unsent').hidden = true;
  sessionStorage.removeItem(DRAFT);
}

/** Send the verdict that a picture is chosen; without one, say what is missing. */
function sendChoice() {
  if (draft.chosen)
    return sendAnswer('chosen');
  say('Choose a picture first, or press "None of these".');
  document.querySelector('input[name=chosen]').focus();
}

/** Send the verdict that aspects of several pictures are to be mixed; without any, say what is missing. */
function sendMix() {
  if (Object.values(draft.mix).some(Boolean))
    return sendAnswer('mix');
  say('Say first what to take from which picture.');
  at('aspects').querySelector('select').focus();
}

/** Create the list to choose from which picture an aspect, such as the colours, is taken. */
function createAspectChoice(name, pictures) {
  const label = document.createElement('label');
  const select = document.createElement('select');
  select.append(new Option('–', ''), ...pictures.map(({ label }) => new Option(label, label)));
  select.value = draft.mix[name] ?? '';
  select.addEventListener('change', () => {
    draft.mix[name] = select.value;
    save();
  });
  label.append(`${name[0].toUpperCase()}${name.slice(1)} of `, select);
  return label;
}

/** Draw around each picture the frame of the device that is chosen for all, or of its own. */
function applyDeviceFrames() {
  for (const item of document.querySelectorAll('[data-device]'))
    item.dataset.frame = at('frames').value === 'auto' ? item.dataset.device : at('frames').value;
}

/** Show the pictures and connect the controls, then enable them: none can be pressed before it works. */
async function begin() {
  const { title, pictures, aspects } = await ask('board', undefined, CLOSED);
  if (title) {
    at('title').textContent = title;
    document.title = `${title} – gbrowse`;
  }
  showChosen();
  const acts = {
    save,
    picked: showChosen,
    more: (label) => sendAnswer('more', label),
    zoom: (number) => openZoom(pictures, number),
  };
  at('pictures').append(...pictures.map((picture, number) => createPictureItem(picture, number, draft, acts)));
  at('aspects').append(...aspects.map((name) => createAspectChoice(name, pictures)));
  at('mix').hidden = at('swipe-open').hidden = pictures.length < 2;
  at('swipe-open').addEventListener('click', () => openSwipe(pictures));
  at('comment').value = draft.comment;
  at('comment').addEventListener('input', () => {
    draft.comment = at('comment').value;
    save();
  });
  at('frames').addEventListener('change', applyDeviceFrames);
  at('send').addEventListener('click', sendChoice);
  at('ask-mix').addEventListener('click', sendMix);
  at('again').addEventListener('click', () => sendAnswer('again'));
  for (const control of document.querySelectorAll('[disabled]'))
    control.disabled = false;
  applyDeviceFrames();
  stayConnected(sayClosed, () => say(''), () => at('send').disabled);
}

await busy(begin);
