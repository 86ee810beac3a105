// The picker's page: lists, filters, asks. Everything that comes from a database is set as text, never as markup.
import { ask as asked, at, busy } from './ask.js';

const MOST_ROWS = 500;
const state = { profile: 0, domains: [], imported: new Set() };

/** Request `path` from the picker's server, and return the JSON. */
const ask = (path, content) => asked(path, content, 'The picker is closed. Run cookie-import-browser for a new one.');

/** Create the row of a domain, with a button that calls `act`. `verb`: its label. */
function createRow(host, count, verb, act) {
  const item = document.createElement('li');
  const name = document.createElement('span');
  name.textContent = host;
  const number = document.createElement('span');
  number.className = 'count';
  number.textContent = count;
  number.title = `${count} cookies`;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = verb;
  button.setAttribute('aria-label', `${verb} ${host}`);
  button.addEventListener('click', act);
  item.append(name, number, button);
  return item;
}

/** Return the profile's domains, with their numbers of cookies, that contain the text of the search field. */
function matchingDomains() {
  const words = at('search').value.trim().toLowerCase();
  return state.domains.filter(([host]) => host.includes(words));
}

/** List the matching domains of the profile, each with a button to import it. */
function showDomains() {
  const matching = matchingDomains();
  const shown = matching.slice(0, MOST_ROWS);
  at('domains').replaceChildren(
    ...shown.map(([host, count]) => createRow(host, count, 'Import', () => importDomains([host]))),
  );
  at('more').textContent = matching.length > shown.length
    ? `${matching.length - shown.length} more: narrow the search.`
    : matching.length
    ? ''
    : 'No domain here.';
  showAll();
}

/** Return the names of the matching domains that are not imported yet. */
function domainsToImport() {
  return matchingDomains().map(([host]) => host).filter((host) => !state.imported.has(host));
}

/** Update the button that imports all matching domains; hide it if all are imported. */
function showAll() {
  const count = domainsToImport().length;
  if (!count && document.activeElement === at('all'))
    at('search').focus();
  at('all').textContent = `Import all (${count})`;
  at('all').hidden = at('all').disabled = !count;
}

/** List the imported domains, each with a button to remove it. */
async function showImported() {
  const imported = await ask('imported');
  state.imported = new Set(imported.map(([host]) => host));
  at('imported').replaceChildren(
    ...imported.map(([host, count]) => createRow(host, count, 'Remove', () => removeDomain(host))),
  );
  at('none').hidden = imported.length > 0;
  showAll();
}

/** Import the cookies of these domains. */
function importDomains(domains) {
  return busy(async () => {
    const answer = await ask('import', { profile: state.profile, domains });
    await showImported();
    return answer.said;
  });
}

/** Remove the imported cookies of a domain from the browser. */
function removeDomain(domain) {
  return busy(async () => {
    const answer = await ask('remove', { domain });
    await showImported();
    (at('imported').querySelector('button') ?? at('search')).focus(); // the button that had the focus is gone
    return answer.said;
  });
}

/** Load and show the domains of the browser profile with that index. */
function chooseProfile(number) {
  return busy(async () => {
    state.profile = number;
    const answer = await ask(`profiles/${number}`);
    if (state.profile !== number)
      return '';
    state.domains = answer.domains;
    showDomains();
    return answer.problem ? `This profile could not be read: ${answer.problem}` : '';
  });
}

/** Create the radio button that chooses a browser profile. `number`: its index. */
function createProfileChoice(profile, number) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.type = 'radio';
  input.name = 'profile';
  input.checked = number === 0;
  input.addEventListener('change', () => chooseProfile(number));
  label.append(input, `${profile.browser}: ${profile.profile}`);
  return label;
}

at('search').addEventListener('input', showDomains);
at('all').addEventListener('click', () => importDomains(domainsToImport()));
at('done').addEventListener('click', () =>
  busy(async () => {
    await ask('done', {});
    for (const control of document.querySelectorAll('button, input'))
      control.disabled = true;
    return 'Done. You can close this page.';
  }));

at('search').focus();
await busy(async () => {
  const profiles = await ask('profiles');
  at('profiles').append(...profiles.map(createProfileChoice));
  await showImported();
  await chooseProfile(0);
});
