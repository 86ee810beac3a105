// The board's page: shows the pictures, keeps what the person says of them, sends the answer. Titles and names of files are set as
// text, never as markup.
import { ask, at, busy, say, stayConnected } from './ask.js';
import { card } from './cards.js';
import { openZoom } from './zoom.js';
import { openSwipe } from './swipe.js';

const CLOSED =
  'The board is closed, or the way to it is broken. Tell the agent in words, or have it run board-compare again.';
const DRAFT = `draft ${location.pathname}`;

/** What the person has said so far. */
const draft = { chosen: '', remarks: {}, mix: {}, comment: '', ...kept() };

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFT)) ?? {};
  } catch {
    return {}; // a browser that keeps nothing
  }
}

function keep() {
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  } catch {
    // a browser that keeps nothing: only a reload would need the draft
  }
}

function send(verdict, more = '') {
  return busy(async () => {
    const answer = await ask('answer', { verdict, more, ...draft }, CLOSED);
    end();
    return answer.said;
  });
}

function end() {
  for (const control of document.querySelectorAll('button, input, select, textarea'))
    control.disabled = true;
  sessionStorage.removeItem(DRAFT);
}

function sendChoice() {
  if (draft.chosen)
    return send('chosen');
  say('Choose a picture first, or press "None of these".');
  document.querySelector('input[name=chosen]').focus();
}

function sendMix() {
  if (Object.values(draft.mix).some(Boolean))
    return send('mix');
  say('Say first what to take from which picture.');
  at('aspects').querySelector('select').focus();
}

function aspect(name, pictures) {
  const label = document.createElement('label');
  const select = document.createElement('select');
  select.append(new Option('–', ''), ...pictures.map(({ label }) => new Option(label, label)));
  select.value = draft.mix[name] ?? '';
  select.addEventListener('change', () => {
    draft.mix[name] = select.value;
    keep();
  });
  label.append(`${name[0].toUpperCase()}${name.slice(1)} of `, select);
  return label;
}

function showFrames() {
  for (const item of document.querySelectorAll('[data-device]'))
    item.dataset.frame = at('frames').value === 'auto' ? item.dataset.device : at('frames').value;
}

/** Shows the pictures. Nothing can be pressed before anything would come of that. */
async function begin() {
  const { title, pictures, aspects } = await ask('board', undefined, CLOSED);
  if (title) {
    at('title').textContent = title;
    document.title = `${title} – gbrowse`;
  }
  const acts = { keep, more: (label) => send('more', label), zoom: (number) => openZoom(pictures, number) };
  at('pictures').append(...pictures.map((picture, number) => card(picture, number, draft, acts)));
  at('aspects').append(...aspects.map((name) => aspect(name, pictures)));
  at('mix').hidden = at('swipe-open').hidden = pictures.length < 2;
  at('swipe-open').addEventListener('click', () => openSwipe(pictures));
  at('comment').value = draft.comment;
  at('comment').addEventListener('input', () => {
    draft.comment = at('comment').value;
    keep();
  });
  at('frames').addEventListener('change', showFrames);
  at('send').addEventListener('click', sendChoice);
  at('ask-mix').addEventListener('click', sendMix);
  at('again').addEventListener('click', () => send('again'));
  for (const control of document.querySelectorAll('[disabled]'))
    control.disabled = false;
  showFrames();
  stayConnected(() => say(CLOSED), () => say(''), () => at('send').disabled);
}

await busy(begin);
