// Tells lines apart that would read the same. Elements: by the class in which they differ, their own or that of an icon in them. Check
// boxes, and buttons with the same name in their form: by the value that each sends. Days of several months: within one month only.

import { closest, matches, queryAll } from './engine-accessors.js';
import { attr } from './engine-dom.js';
import { isTelling } from './engine-hints.js';
import { nodeFor } from './engine-table.js';

const MOST_ALIKE = 60;
const MOST_ASKED = 300;
const MOST_INSIDE = 4;
const DAY = /^\d{1,2}$/;

// Put these into the hints of a walk: classes instead of equal ones if each line has one; also beside equal names of elements without a role.
export function tellHintsApart(walk) {
  const left = { asked: MOST_ASKED };
  for (const group of alikeBy(walk.hints, ([line, hint]) => `${walk.kinds[line].role} ${hint}`)) {
    if (group[0][1].startsWith('name=')) tellValuesApart(group, walk.ids);
    if (!group[0][1].startsWith('.')) continue;
    const classes = differing(group.map(([line]) => walk.ids[line]), left);
    if (classes.every(Boolean)) group.forEach((hint, place) => hint[1] = classes[place]);
  }
  if (walk.clickables < 2) return;
  const hinted = new Set(walk.hints.map(([line]) => line));
  const named = [...walk.ids.keys()].filter((line) =>
    walk.ids[line] < 0 && walk.names[line] !== '' && !hinted.has(line)
  );
  const groups = alikeBy(named, (line) => `${walk.kinds[line].role} ${walk.names[line]}`);
  const parts = byMonths(groups, walk)
    .map((lines) => ({ lines, own: ownClasses(lines.map((line) => walk.ids[line]), left) }));
  const often = Map.groupBy(parts.flatMap(({ own }) => [...new Set(own.flat())]), (name) => name);
  const countOf = (name) => often.get(name)?.length ?? 0;
  const oftenest = (names) => names.toSorted((a, b) => countOf(b) - countOf(a))[0];
  for (const { lines, own } of parts) {
    const isOfDays = DAY.test(walk.names[lines[0]]); // whose classes say the day of the week, too
    toldBy(own, isOfDays ? oftenest : ([first]) => first).forEach((name, place) => {
      if (name !== '') walk.hints.push([lines[place], name]);
    });
  }
}

// The groups, and of those of days of one number the ones in one table, where tables have several.
function byMonths(groups, { ids, names }) {
  const tableOf = (line) => {
    const element = nodeFor(Math.abs(ids[line]));
    return element && closest(element, 'table,[role=grid]');
  };
  const [days, others] = [true, false].map((is) => groups.filter(([first]) => DAY.test(names[first]) === is));
  const months = days.flatMap((group) => [...Map.groupBy(group, tableOf).values()]).filter(({ length }) => length > 1);
  return [...others, ...months.length > 0 ? months : days];
}

// Elements whose value is the page's own, and no input of a person.
const SENDS = 'input[type=checkbox],input[type=radio],input[type=image],button';
const PLAIN_VALUE = /^[\w.:@/+-]{1,24}$/;
function tellValuesApart(group, ids) {
  const values = group.map(([line]) => valueSent(nodeFor(Math.abs(ids[line]))));
  if (new Set(values).size > 1) group.forEach((hint, place) => hint[1] += values[place] && ` value=${values[place]}`);
}

function valueSent(element) {
  const value = element && matches(element, SENDS) ? attr(element, 'value') ?? '' : '';
  return PLAIN_VALUE.test(value) ? value : '';
}

const alikeBy = (all, key) =>
  [...Map.groupBy(all, key).values()].filter(({ length }) => length > 1 && length <= MOST_ALIKE);

// The first class of each that not all of them have; "" for one without, or for all where they are the same.
const differing = (ids, left) => toldBy(ownClasses(ids, left), ([first]) => first);

function toldBy(own, choose) {
  const chosen = own.map((names) => choose(names) ?? '');
  return new Set(chosen).size > 1 ? chosen.map((name) => name && `.${name}`) : chosen.map(() => '');
}

// The classes of each element that not all of them have.
function ownClasses(ids, left) {
  if ((left.asked -= ids.length) < 0) return ids.map(() => []);
  const classes = ids.map((id) => tellingClasses(nodeFor(Math.abs(id))));
  const [first, ...rest] = classes;
  const common = new Set(first.filter((name) => rest.every((other) => other.includes(name))));
  return classes.map((names) => names.filter((name) => !common.has(name)));
}

function tellingClasses(element) {
  if (!element) return [];
  const inside = [...queryAll(element, '[class]')].slice(0, MOST_INSIDE);
  return [element, ...inside].flatMap((one) => (attr(one, 'class') ?? '').split(/\s+/).slice(0, 20)).filter(isTelling);
}
