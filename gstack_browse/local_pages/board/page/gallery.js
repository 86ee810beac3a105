// The gallery: days, boards with what was answered, pictures. All that comes from files is set as text, never as markup.
import { ask, byId, runWithStatus, say, stayConnected } from './ask.js';

const CLOSED = 'The gallery is closed, or the way to it is broken. Run board-gallery for a new one.';

/** Create an element with the tag `name`, a text (if it is not empty) and children. */
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

/** Create the link that shows a picture and opens it by itself in a new tab. `number`: of the picture at the server. */
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
 * Ask the server whether a picture's file has changed since it was on a board; if so, add a note behind the picture's link. `number`: of
 * the picture at the server.
 */
async function markIfChanged(number, link) {
  if (await ask(`changed/${number}`, undefined, CLOSED).catch(() => false))
    link.after(createElement('p', 'Changed since it was on the board.'));
}

/** Create the article of one answered board: its verdict, comment and pictures. */
function createBoard({ title, time, verdict, comment, pictures }) {
  const article = createElement('article', '', createElement('h3', `${time} ${title}`), createElement('p', verdict));
  if (comment)
    article.append(createElement('p', `“${comment}”`));
  article.append(createElement('ul', '', ...pictures.map(createPicture)));
  return article;
}

/** Create the section of one day: its answered boards, and its pictures that are on no board. */
function createDay(day) {
  const section = createElement('section', '', createElement('h2', day.day), ...day.boards.map(createBoard));
  if (day.others.length)
    section.append(
      createElement(
        'article',
        '',
        createElement('h3', 'On no board'),
        createElement('ul', '', ...day.others.map(createPicture)),
      ),
    );
  return section;
}

await runWithStatus(async () => {
  const { directory, days } = await ask('gallery', undefined, CLOSED);
  byId('directory').textContent = directory;
  byId('days').append(...days.map(createDay));
  stayConnected(() => say(CLOSED), () => say(''));
});
