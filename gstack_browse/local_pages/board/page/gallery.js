// The gallery: days, boards with what was answered, pictures. All that comes from files is set as text, never as markup.
import { ask, at, busy, say, stayConnected } from './ask.js';

const CLOSED = 'The gallery is closed, or the way to it is broken. Run board-gallery for a new one.';

/** Create an element `name` with a text and children. */
function createElement(name, text, ...children) {
  const found = document.createElement(name);
  found.append(...(text ? [text] : []), ...children);
  return found;
}

/** Create the list item of a picture, with the stars and the comment that it got on a board. */
function createPicture({ label, name, number, stars, comment, isChosen }) {
  const title = label ? `${label} ${name}` : name;
  const figure = document.createElement('figure');
  figure.classList.toggle('chosen', Boolean(isChosen));
  if (number === null)
    figure.append(createElement('p', 'This picture is not there any more.'));
  else
    figure.append(createLink(number, title, Boolean(label)));
  const caption = createElement('figcaption', title);
  if (isChosen)
    caption.append(createElement('b', ' (chosen)'));
  if (stars)
    caption.append(`\n${stars} of 5 stars`);
  if (comment)
    caption.append(`\n“${comment}”`);
  figure.append(caption);
  return createElement('li', '', figure);
}

/** Create the link with a picture in it, which opens the picture by itself. */
function createLink(number, title, isOnBoard) {
  const found = document.createElement('a');
  found.href = `picture/${number}`;
  found.target = '_blank';
  found.rel = 'noopener';
  const image = document.createElement('img');
  image.alt = title;
  image.loading = 'lazy';
  image.addEventListener(
    'error',
    () => found.replaceWith(createElement('p', 'This picture cannot be shown any more.')),
  );
  if (isOnBoard)
    image.addEventListener('load', () => markIfChanged(number, found));
  image.src = found.href;
  found.append(image);
  return found;
}

/**
 * Ask the daemon whether a picture's file has changed since it was on the board. If so, add a note behind its link (`found`). `number`: of
 * the picture.
 */
async function markIfChanged(number, found) {
  if (await ask(`changed/${number}`, undefined, CLOSED).catch(() => false))
    found.after(createElement('p', 'Changed since it was on the board.'));
}

/** Create the article of one answered board: its verdict, comment and pictures. */
function createBoard({ title, time, verdict, comment, pictures }) {
  const article = createElement('article', '', createElement('h3', `${time} ${title}`), createElement('p', verdict));
  if (comment)
    article.append(createElement('p', `“${comment}”`));
  article.append(createElement('ul', '', ...pictures.map(createPicture)));
  return article;
}

/** Create the section of one day: its boards, and pictures on no board. */
function createDay(found) {
  const section = createElement('section', '', createElement('h2', found.day), ...found.boards.map(createBoard));
  if (found.others.length)
    section.append(
      createElement(
        'article',
        '',
        createElement('h3', 'On no board'),
        createElement('ul', '', ...found.others.map(createPicture)),
      ),
    );
  return section;
}

await busy(async () => {
  const { directory, days } = await ask('gallery', undefined, CLOSED);
  at('directory').textContent = directory;
  at('days').append(...days.map(createDay));
  stayConnected(() => say(CLOSED), () => say(''));
});
