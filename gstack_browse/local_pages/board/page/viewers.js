// Larger views: one picture, as large as the person wants it (by buttons, by + - 0 and the arrow keys, by a double click); two pictures in
// the same place, with a line between them that the person moves.
import { at } from './ask.js';
import { createImage } from './cards.js';

const STEPS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4];
// `scale` 0: as large as the room.
const state = { pictures: [], number: 0, scale: 0 };

/** Open the zoom dialog with the picture of that index. */
export function openZoom(pictures, number) {
  Object.assign(state, { pictures, number });
  showPicture();
  at('zoom').showModal();
  at('zoom-room').focus();
}

/** Show the current picture in the zoom dialog, fitted to it. */
function showPicture() {
  const picture = state.pictures[state.number];
  at('zoom-title').textContent = `${picture.label} ${picture.name}`;
  at('zoom-room').replaceChildren(createImage(picture));
  at('zoom-before').disabled = state.number === 0;
  at('zoom-after').disabled = state.number === state.pictures.length - 1;
  scaleTo(0);
}

/** Show the picture at a scale (1: its own size); 0: fitted to the dialog. */
function scaleTo(scale) {
  state.scale = scale;
  const found = at('zoom-room').querySelector('img');
  found.classList.toggle('fit', !scale);
  const { width } = state.pictures[state.number];
  found.style.width = scale ? `${(width || 600) * scale}px` : '';
  at('zoom-size').value = scale ? `${Math.round(scale * 100)} %` : 'fits';
}

/** Return the scale at which the picture is shown. */
function currentScale() {
  const found = at('zoom-room').querySelector('img');
  return state.scale || found.clientWidth / (state.pictures[state.number].width || 600);
}

/** Go to the next larger scale. */
function zoomIn() {
  scaleTo(STEPS.find((step) => step > currentScale() + 0.01) ?? STEPS.at(-1));
}

/** Go to the next smaller scale. */
function zoomOut() {
  scaleTo(STEPS.findLast((step) => step < currentScale() - 0.01) ?? STEPS[0]);
}

/** Show the picture `by` positions later; earlier for a negative number. */
function goToPicture(by) {
  const number = state.number + by;
  if (number >= 0 && number < state.pictures.length) {
    state.number = number;
    showPicture();
  }
}

const KEYS = {
  '+': zoomIn,
  '=': zoomIn,
  '-': zoomOut,
  0: () => scaleTo(0),
  1: () => scaleTo(1),
  PageUp: () => goToPicture(-1),
  PageDown: () => goToPicture(1),
};

at('zoom').addEventListener('keydown', (event) => {
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
at('zoom-room').addEventListener('dblclick', () => scaleTo(state.scale ? 0 : 1));
at('zoom-before').addEventListener('click', () => goToPicture(-1));
at('zoom-after').addEventListener('click', () => goToPicture(1));
at('zoom-in').addEventListener('click', zoomIn);
at('zoom-out').addEventListener('click', zoomOut);
at('zoom-fit').addEventListener('click', () => scaleTo(0));
at('zoom-close').addEventListener('click', () => at('zoom').close());

// The pictures to choose two from.
const pair = { pictures: [] };

/** Open the dialog that compares two of the pictures over each other. */
export function openSwipe(pictures) {
  if (pair.pictures !== pictures)
    fillChoices(pictures);
  showPair();
  at('swipe').showModal();
  at('swipe-at').focus();
}

/** Fill the two lists of pictures to compare. */
function fillChoices(pictures) {
  pair.pictures = pictures;
  for (const [number, id] of ['swipe-left', 'swipe-right'].entries()) {
    at(id).replaceChildren(...pictures.map(({ label, name }) => new Option(`${label} ${name}`, label)));
    at(id).selectedIndex = number;
  }
}

/** Show the two chosen pictures over each other. */
function showPair() {
  const [left, right] = ['swipe-left', 'swipe-right'].map((id) => createImage(pair.pictures[at(id).selectedIndex]));
  left.className = 'left';
  at('swipe-room').replaceChildren(right, left);
  updateDivider();
}

/** Move the divider between the two pictures to the position of its slider. */
function updateDivider() {
  at('swipe-room').style.setProperty('--at', `${at('swipe-at').value}%`);
  at('swipe-at').setAttribute('aria-valuetext', `${at('swipe-at').value} % of ${at('swipe-left').value}`);
}

/** Move the divider to the pointer, if a button is pressed. */
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
