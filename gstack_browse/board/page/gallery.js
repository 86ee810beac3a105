// The gallery: days, boards with what was answered, pictures. All that comes from files is set as text, never as markup.
import { ask, at, busy, say, stayConnected } from './ask.js';

const CLOSED = 'The gallery is closed, or the way to it is broken. Run board-gallery for a new one.';

function element(name, text, ...children) {
  const found = document.createElement(name);
  found.append(...(text ? [text] : []), ...children);
  return found;
}

function picture({ label, name, number, stars, comment, isChosen }) {
  const title = label ? `${label} ${name}` : name;
  const figure = document.createElement('figure');
  figure.classList.toggle('chosen', Boolean(isChosen));
  if (number === null)
    figure.append(element('p', 'This picture is not there any more.'));
  else
    figure.append(link(number, title, Boolean(label)));
  const caption = element('figcaption', title);
  if (isChosen)
    caption.append(element('b', ' (chosen)'));
  if (stars)
    caption.append(`\n${stars} of 5 stars`);
  if (comment)
    caption.append(`\n“${comment}”`);
  figure.append(caption);
  return element('li', '', figure);
}

function link(number, title, isOnBoard) {
  const found = document.createElement('a');
  found.href = `picture/${number}`;
  found.target = '_blank';
  found.rel = 'noopener';
  const image = document.createElement('img');
  image.alt = title;
  image.loading = 'lazy';
  image.addEventListener('error', () => found.replaceWith(element('p', 'This picture cannot be shown any more.')));
  if (isOnBoard)
    image.addEventListener('load', () => tellWhetherChanged(number, found));
  image.src = found.href;
  found.append(image);
  return found;
}

async function tellWhetherChanged(number, found) {
  if (await ask(`changed/${number}`, undefined, CLOSED).catch(() => false))
    found.after(element('p', 'Changed since it was on the board.'));
}

function board({ title, time, verdict, comment, pictures }) {
  const article = element('article', '', element('h3', `${time} ${title}`), element('p', verdict));
  if (comment)
    article.append(element('p', `“${comment}”`));
  article.append(element('ul', '', ...pictures.map(picture)));
  return article;
}

function day(found) {
  const section = element('section', '', element('h2', found.day), ...found.boards.map(board));
  if (found.others.length)
    section.append(
      element('article', '', element('h3', 'On no board'), element('ul', '', ...found.others.map(picture))),
    );
  return section;
}

await busy(async () => {
  const { directory, days } = await ask('gallery', undefined, CLOSED);
  at('directory').textContent = directory;
  at('days').append(...days.map(day));
  stayConnected(() => say(CLOSED), () => say(''));
});
