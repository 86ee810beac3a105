// Two pictures in the same place, with a line between them that the person moves.
import { at } from './ask.js';
import { image } from './cards.js';

const state = { pictures: [] };

export function openSwipe(pictures) {
  if (state.pictures !== pictures)
    offer(pictures);
  show();
  at('swipe').showModal();
  at('swipe-at').focus();
}

function offer(pictures) {
  state.pictures = pictures;
  for (const [number, id] of ['swipe-left', 'swipe-right'].entries()) {
    at(id).replaceChildren(...pictures.map(({ label, name }) => new Option(`${label} ${name}`, label)));
    at(id).selectedIndex = number;
  }
}

function show() {
  const [left, right] = ['swipe-left', 'swipe-right'].map((id) => image(state.pictures[at(id).selectedIndex]));
  left.className = 'left';
  at('swipe-room').replaceChildren(right, left);
  move();
}

function move() {
  at('swipe-room').style.setProperty('--at', `${at('swipe-at').value}%`);
  at('swipe-at').setAttribute('aria-valuetext', `${at('swipe-at').value} % of ${at('swipe-left').value}`);
}

function follow(event) {
  if (!event.buttons)
    return;
  const room = at('swipe-room').querySelector('.left').getBoundingClientRect();
  at('swipe-at').value = Math.round(100 * (event.clientX - room.left) / room.width);
  move();
}

for (const id of ['swipe-left', 'swipe-right'])
  at(id).addEventListener('change', show);
at('swipe-at').addEventListener('input', move);
at('swipe-room').addEventListener('pointerdown', follow);
at('swipe-room').addEventListener('pointermove', follow);
at('swipe-room').addEventListener('dragstart', (event) => event.preventDefault());
at('swipe-close').addEventListener('click', () => at('swipe').close());
