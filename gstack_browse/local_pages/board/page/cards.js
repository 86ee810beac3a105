// A picture on the board, with what a person can say of it.
const MOST_STARS = 5;

/**
 * Build the list item of one picture. Its controls change `draft` (the answer) and call `acts.save` after each change; `acts` also has
 * `zoom`, `more` and `picked`. `number`: the picture's index.
 */
export function createPictureItem(picture, number, draft, acts) {
  const { label } = picture;
  const remark = draft.remarks[label] ??= { stars: 0, comment: '' };
  const item = document.createElement('li');
  const title = document.createElement('h2');
  title.id = `title-${label}`;
  const letter = document.createElement('b');
  letter.textContent = label;
  title.append(letter, ' ', picture.name);
  const article = document.createElement('article');
  article.setAttribute('aria-labelledby', title.id);
  article.append(
    title,
    createZoomButton(picture, () => acts.zoom(number)),
    createChoice(label, draft, acts),
    createStars(label, remark, acts),
    createCommentField(label, remark, acts),
    createButton(`More like ${label}`, () => acts.more(label)),
  );
  item.append(article);
  return item;
}

/** Return the alternative text of a picture's image: label, name and size. */
export function describePicture({ label, name, width, height }) {
  return width ? `${label}: ${name}, ${width} by ${height} pixels` : `${label}: ${name}`;
}

/** Create the `<img>` of a picture, in the picture's own size. */
export function createImage(picture) {
  const found = document.createElement('img');
  found.src = `picture/${picture.label}`;
  found.alt = describePicture(picture);
  found.decoding = 'async';
  if (picture.width) {
    found.width = picture.width;
    found.height = picture.height;
  }
  return found;
}

/** Create the button that shows a picture, and calls `zoom` when it is pressed. */
function createZoomButton(picture, zoom) {
  const frame = document.createElement('button');
  frame.type = 'button';
  frame.className = 'frame';
  frame.dataset.device = picture.device;
  const found = createImage(picture);
  frame.setAttribute('aria-label', `Zoom ${found.alt}`);
  found.addEventListener('error', () => frame.replaceChildren('This picture cannot be shown.'));
  frame.append(found);
  frame.addEventListener('click', zoom);
  return frame;
}

/** Create the radio button that chooses the picture with this label: it sets `draft.chosen`, and calls `picked` and `save`. */
function createChoice(label, draft, { save, picked }) {
  const row = document.createElement('label');
  row.className = 'choose';
  const input = document.createElement('input');
  input.type = 'radio';
  input.name = 'chosen';
  input.value = label;
  input.checked = draft.chosen === label;
  input.addEventListener('change', () => {
    draft.chosen = label;
    picked();
    save();
  });
  row.append(input, ` Choose ${label}`);
  return row;
}

/** Create the radio buttons that give the picture with this label 0 to 5 stars: they set `remark.stars` and call `save`. */
function createStars(label, remark, { save }) {
  const group = document.createElement('fieldset');
  group.className = 'stars';
  const legend = document.createElement('legend');
  legend.textContent = `Stars for ${label}`;
  group.append(legend);
  /** Highlight the first `remark.stars` stars. */
  const highlightStars = () => {
    for (const star of group.querySelectorAll('label'))
      star.classList.toggle('on', star.dataset.stars > 0 && star.dataset.stars <= remark.stars);
  };
  for (let count = 0; count <= MOST_STARS; count += 1)
    group.append(createStar(label, count, remark, () => (highlightStars(), save())));
  highlightStars();
  return group;
}

/** Create the radio button that sets `remark.stars` to `count`, and calls `changed` then. `label`: of the picture. */
function createStar(label, count, remark, changed) {
  const row = document.createElement('label');
  row.dataset.stars = count;
  const input = document.createElement('input');
  input.type = 'radio';
  input.name = `stars-${label}`;
  input.value = count;
  input.checked = remark.stars === count;
  input.setAttribute('aria-label', count === 0 ? 'No stars' : `${count} star${count === 1 ? '' : 's'}`);
  input.addEventListener('change', () => {
    remark.stars = count;
    changed();
  });
  const sign = document.createElement('span');
  sign.setAttribute('aria-hidden', 'true');
  sign.textContent = count === 0 ? '–' : '★';
  row.append(input, sign);
  return row;
}

/** Create the text field for a comment on the picture with this label: it sets `remark.comment` and calls `save`. */
function createCommentField(label, remark, { save }) {
  const row = document.createElement('label');
  row.className = 'comment';
  const field = document.createElement('textarea');
  field.rows = 2;
  field.maxLength = 4000;
  field.value = remark.comment;
  field.addEventListener('input', () => {
    remark.comment = field.value;
    save();
  });
  row.append(`Comment on ${label}`, field);
  return row;
}

/** Create a button with this text that calls `act` when it is pressed. */
function createButton(text, act) {
  const found = document.createElement('button');
  found.type = 'button';
  found.textContent = text;
  found.addEventListener('click', act);
  return found;
}
