// The board's page: shows the pictures, stores the person's draft answer, sends it. Titles and names of files are set as
// text, never as markup.
import { ask, byId, runWithStatus, say, stayConnected } from './ask.js';
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

/** Store the person's draft answer in the window's session storage, so that it survives a reload of the page. */
function saveDraft() {
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  } catch {
    // Storage is disabled. Only a reload would need the draft.
  }
}

/** Send the draft with a verdict as the person's answer, and show the reply. `more`: label of the picture to get more like. */
function sendAnswer(verdict, more = '') {
  return runWithStatus(async () => {
    const content = { verdict, more, ...draft };
    const answer = await ask('answer', content, CLOSED).catch((error) => {
      if (error.message === CLOSED)
        showUnsent(content);
      throw error;
    });
    disableControls();
    if (answer.goes_on)
      setTimeout(awaitNextRound, ROUND_PAUSE);
    return answer.message;
  });
}

/** Show an answer that could not be sent (`content`) as text to copy, so that what the person has written is not lost. */
function showUnsent(content) {
  byId('unsent').hidden = false;
  byId('unsent-text').value = JSON.stringify(content, null, 2);
  byId('unsent-copy').onclick = async () => {
    byId('unsent-text').select();
    await navigator.clipboard.writeText(byId('unsent-text').value).then(
      () => say('Copied.'),
      () => say('Press Ctrl+C, or Cmd+C, to copy it.'),
    );
  };
}

/** Say that the board is closed, unless an answer that could not be sent is shown: its message "Copied." must stay. */
function sayClosed() {
  if (byId('unsent').hidden)
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

/** Show in words which picture is chosen. */
function showChosen() {
  byId('picked').textContent = draft.chosen ? `We'll move forward with option ${draft.chosen}.` : '';
}

/** Disable all controls and delete the stored draft, as the answer is sent. */
function disableControls() {
  for (const control of document.querySelectorAll('button, input, select, textarea'))
    control.disabled = true;
  byId('unsent').hidden = true;
  sessionStorage.removeItem(DRAFT);
}

/** Send the answer that a picture is chosen; if none is, say so. */
function sendChoice() {
  if (draft.chosen)
    return sendAnswer('chosen');
  say('Choose a picture first, or press "None of these".');
  document.querySelector('input[name=chosen]').focus();
}

/** Send the answer that aspects of several pictures are to be mixed; if none is chosen, say so. */
function sendMix() {
  if (Object.values(draft.mix).some(Boolean))
    return sendAnswer('mix');
  say('Say first what to take from which picture.');
  byId('aspects').querySelector('select').focus();
}

/** Create the select field for the picture from which an aspect is to be taken. `name`: of the aspect, such as colours. */
function createAspectChoice(name, pictures) {
  const label = document.createElement('label');
  const select = document.createElement('select');
  select.append(new Option('–', ''), ...pictures.map(({ label }) => new Option(label, label)));
  select.value = draft.mix[name] ?? '';
  select.addEventListener('change', () => {
    draft.mix[name] = select.value;
    saveDraft();
  });
  label.append(`${name[0].toUpperCase()}${name.slice(1)} of `, select);
  return label;
}

/** Draw a device's frame around each picture: the device chosen for all, else the picture's own. */
function applyDeviceFrames() {
  for (const item of document.querySelectorAll('[data-device]'))
    item.dataset.frame = byId('frames').value === 'auto' ? item.dataset.device : byId('frames').value;
}

/** Load and show the board's pictures, connect the controls, and enable them at last: before, they would do nothing. */
async function showBoard() {
  const { title, pictures, aspects } = await ask('board', undefined, CLOSED);
  if (title) {
    byId('title').textContent = title;
    document.title = `${title} – gbrowse`;
  }
  showChosen();
  const acts = {
    save: saveDraft,
    picked: showChosen,
    more: (label) => sendAnswer('more', label),
    zoom: (number) => openZoom(pictures, number),
  };
  byId('pictures').append(...pictures.map((picture, number) => createPictureItem(picture, number, draft, acts)));
  byId('aspects').append(...aspects.map((name) => createAspectChoice(name, pictures)));
  byId('mix').hidden = byId('swipe-open').hidden = pictures.length < 2;
  byId('swipe-open').addEventListener('click', () => openSwipe(pictures));
  byId('comment').value = draft.comment;
  byId('comment').addEventListener('input', () => {
    draft.comment = byId('comment').value;
    saveDraft();
  });
  byId('frames').addEventListener('change', applyDeviceFrames);
  byId('send').addEventListener('click', sendChoice);
  byId('ask-mix').addEventListener('click', sendMix);
  byId('again').addEventListener('click', () => sendAnswer('again'));
  for (const control of document.querySelectorAll('[disabled]'))
    control.disabled = false;
  applyDeviceFrames();
  stayConnected(sayClosed, () => say(''), () => byId('send').disabled);
}

await runWithStatus(showBoard);
