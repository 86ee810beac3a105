// Larger views: one picture, as large as the person wants it (by buttons, by + - 0 and the arrow keys, by a double click); two pictures in
// the same place, with a line between them that the person moves.
import { byId } from './ask.js';
import { createImage } from './cards.js';

const STEPS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4];
// `scale` 0: as large as the room.
const state = { pictures: [], number: 0, scale: 0 };

/** Open the zoom dialog, which shows one of the pictures at a time. `number`: the index of the first. */
export function openZoom(pictures, number) {
  Object.assign(state, { pictures, number });
  showPicture();
  byId('zoom').showModal();
  byId('zoom-room').focus();
}

/** Show the current picture in the zoom dialog, fitted to the dialog. */
function showPicture() {
  const picture = state.pictures[state.number];
  byId('zoom-title').textContent = `${picture.label} ${picture.name}`;
  byId('zoom-room').replaceChildren(createImage(picture));
  byId('zoom-before').disabled = state.number === 0;
  byId('zoom-after').disabled = state.number === state.pictures.length - 1;
  scaleTo(0);
}

/** Scale the picture in the zoom dialog. `scale`: 1 for its own size, 0 to fit the dialog. */
function scaleTo(scale) {
  state.scale = scale;
  const found = byId('zoom-room').querySelector('img');
  found.classList.toggle('fit', !scale);
  const { width } = state.pictures[state.number];
  found.style.width = scale ? `${(width || 600) * scale}px` : '';
  byId('zoom-size').value = scale ? `${Math.round(scale * 100)} %` : 'fits';
}

/** Return the scale of the picture in the zoom dialog; 1 is its own size. */
function currentScale() {
  const found = byId('zoom-room').querySelector('img');
  return state.scale || found.clientWidth / (state.pictures[state.number].width || 600);
}

/** Show the picture in the zoom dialog at the next larger of STEPS. */
function zoomIn() {
  scaleTo(STEPS.find((step) => step > currentScale() + 0.01) ?? STEPS.at(-1));
}

/** Show the picture in the zoom dialog at the next smaller of STEPS. */
function zoomOut() {
  scaleTo(STEPS.findLast((step) => step < currentScale() - 0.01) ?? STEPS[0]);
}

/** Show another picture in the zoom dialog: `by` positions later, or earlier if that is negative. */
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

byId('zoom').addEventListener('keydown', (event) => {
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
byId('zoom-room').addEventListener('dblclick', () => scaleTo(state.scale ? 0 : 1));
byId('zoom-before').addEventListener('click', () => goToPicture(-1));
byId('zoom-after').addEventListener('click', () => goToPicture(1));
byId('zoom-in').addEventListener('click', zoomIn);
byId('zoom-out').addEventListener('click', zoomOut);
byId('zoom-fit').addEventListener('click', () => scaleTo(0));
byId('zoom-close').addEventListener('click', () => byId('zoom').close());

// The pictures to choose two from.
const pair = { pictures: [] };

/** Open the dialog that compares two of the pictures: one over the other, with a movable divider. */
export function openSwipe(pictures) {
  if (pair.pictures !== pictures)
    fillChoices(pictures);
  showPair();
  byId('swipe').showModal();
  byId('swipe-at').focus();
}

/** Fill the two select fields with the pictures that can be compared. */
function fillChoices(pictures) {
  pair.pictures = pictures;
  for (const [number, id] of ['swipe-left', 'swipe-right'].entries()) {
    byId(id).replaceChildren(...pictures.map(({ label, name }) => new Option(`${label} ${name}`, label)));
    byId(id).selectedIndex = number;
  }
}

/** Show the two chosen pictures in the comparing dialog, one over the other. */
function showPair() {
  const [left, right] = ['swipe-left', 'swipe-right'].map((id) => createImage(pair.pictures[byId(id).selectedIndex]));
  left.className = 'left';
  byId('swipe-room').replaceChildren(right, left);
  updateDivider();
}

/** Move the divider between the two compared pictures to the position of the slider. */
function updateDivider() {
  byId('swipe-room').style.setProperty('--at', `${byId('swipe-at').value}%`);
  byId('swipe-at').setAttribute('aria-valuetext', `${byId('swipe-at').value} % of ${byId('swipe-left').value}`);
}

/** Move the divider between the compared pictures to the pointer, if a mouse button is pressed. */
function followPointer(event) {
  if (!event.buttons)
    return;
  const room = byId('swipe-room').querySelector('.left').getBoundingClientRect();
  byId('swipe-at').value = Math.round(100 * (event.clientX - room.left) / room.width);
  updateDivider();
}

for (const id of ['swipe-left', 'swipe-right'])
  byId(id).addEventListener('change', showPair);
byId('swipe-at').addEventListener('input', updateDivider);
byId('swipe-room').addEventListener('pointerdown', followPointer);
byId('swipe-room').addEventListener('pointermove', followPointer);
byId('swipe-room').addEventListener('dragstart', (event) => event.preventDefault());
byId('swipe-close').addEventListener('click', () => byId('swipe').close());
