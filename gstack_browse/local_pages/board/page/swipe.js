// Two pictures in the same place, with a line between them that the person moves.
import { at } from './ask.js';
import { createImage } from './cards.js';

const state = { pictures: [] };

/** Open the comparison of two pictures. */
export function openSwipe(pictures) {
  if (state.pictures !== pictures)
    fillChoices(pictures);
  showPair();
  at('swipe').showModal();
  at('swipe-at').focus();
}

/** Fill the two lists of pictures to compare. */
function fillChoices(pictures) {
  state.pictures = pictures;
  for (const [number, id] of ['swipe-left', 'swipe-right'].entries()) {
    at(id).replaceChildren(...pictures.map(({ label, name }) => new Option(`${label} ${name}`, label)));
    at(id).selectedIndex = number;
  }
}

/** Show the two chosen pictures over each other. */
function showPair() {
  const [left, right] = ['swipe-left', 'swipe-right'].map((id) => createImage(state.pictures[at(id).selectedIndex]));
  left.className = 'left';
  at('swipe-room').replaceChildren(right, left);
  updateDivider();
}

/** Move the line between the pictures to where its slider is. */
function updateDivider() {
  at('swipe-room').style.setProperty('--at', `${at('swipe-at').value}%`);
  at('swipe-at').setAttribute('aria-valuetext', `${at('swipe-at').value} % of ${at('swipe-left').value}`);
}

/** Move the line to the pressed pointer. */
function followPointer(event) {
  if (!event.buttons)
    return;
  const room = at('swipe-room').querySelector('.left').getBoundingClientRect();
  at('swipe-at').value = Math.round(100 * (event.clientX - room.left) / room.width);
  updateDivider();
}

for (const id of ['swipe-left', 'swipe-right'])
  at(id).addEventListener('change', showPair);
at('swipe-at').addEventListener('input', updateDivider);
at('swipe-room').addEventListener('pointerdown', followPointer);
at('swipe-room').addEventListener('pointermove', followPointer);
at('swipe-room').addEventListener('dragstart', (event) => event.preventDefault());
at('swipe-close').addEventListener('click', () => at('swipe').close());
