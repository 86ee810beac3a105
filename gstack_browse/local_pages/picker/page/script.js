// The picker's page: lists, filters, asks. Everything that comes from a database is set as text, never as markup.
import { ask as asked, byId, runWithStatus } from './ask.js';

const MOST_ROWS = 500;
const state = { profile: 0, domains: [], imported: new Set() };

/** Request `path` from the picker's server, and return the JSON. */
const ask = (path, content) => asked(path, content, 'The picker is closed. Run cookie-import-browser for a new one.');

/** Create the list item of a domain (`host`) with its number of cookies and a button. `verb`: the button's text; `act`: called by it. */
function createRow(host, count, verb, act) {
  const item = document.createElement('li');
  const name = document.createElement('span');
  name.textContent = host;
  const number = document.createElement('span');
  number.className = 'count';
  number.textContent = count;
  number.title = `${count.toLocaleString('en')} cookie${count === 1 ? '' : 's'}`;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = verb;
  button.setAttribute('aria-label', `${verb} ${host}`);
  button.addEventListener('click', act);
  item.append(name, number, button);
  return item;
}

/** Return the profile's domains that contain the text of the search field, as [domain, number of cookies]. */
function findMatchingDomains() {
  const words = byId('search').value.trim().toLowerCase();
  return state.domains.filter(([host]) => host.includes(words));
}

/** List the matching domains of the profile, each with a button to import it. */
function showDomains() {
  const matching = findMatchingDomains();
  const shown = matching.slice(0, MOST_ROWS);
  byId('domains').replaceChildren(
    ...shown.map(([host, count]) => createRow(host, count, 'Import', () => importDomains([host]))),
  );
  byId('more').textContent = matching.length > shown.length
    ? `${matching.length - shown.length} more: narrow the search.`
    : matching.length
    ? ''
    : 'No domain here.';
  updateImportAll();
}

/** Return the names of the matching domains that are not imported yet. */
function listDomainsToImport() {
  return findMatchingDomains().map(([host]) => host).filter((host) => !state.imported.has(host));
}

/** Update the button that imports all domains that match the search; hide it if all are imported. */
function updateImportAll() {
  const count = listDomainsToImport().length;
  if (!count && document.activeElement === byId('all'))
    byId('search').focus();
  byId('all').textContent = `Import all (${count})`;
  byId('all').hidden = byId('all').disabled = !count;
}

/** List the domains of imported cookies, each with a button to remove these. */
async function showImported() {
  const imported = await ask('imported');
  state.imported = new Set(imported.map(([host]) => host));
  byId('imported').replaceChildren(
    ...imported.map(([host, count]) => createRow(host, count, 'Remove', () => removeDomain(host))),
  );
  byId('none').hidden = imported.length > 0;
  updateImportAll();
}

/** Import the chosen profile's cookies of these domains into the browser. */
function importDomains(domains) {
  return runWithStatus(async () => {
    const answer = await ask('import', { profile: state.profile, domains });
    await showImported();
    return answer.message;
  });
}

/** Remove the imported cookies of a domain from the browser. */
function removeDomain(domain) {
  return runWithStatus(async () => {
    const answer = await ask('remove', { domain });
    await showImported();
    (byId('imported').querySelector('button') ?? byId('search')).focus(); // the button that had the focus is gone
    return answer.message;
  });
}

/** Load and show the domains of a browser profile. `number`: its index in the list of profiles. */
function chooseProfile(number) {
  return runWithStatus(async () => {
    state.profile = number;
    const answer = await ask(`profiles/${number}`);
    if (state.profile !== number)
      return '';
    state.domains = answer.domains;
    showDomains();
    return answer.problem ? `This profile could not be read: ${answer.problem}` : '';
  });
}

/** Create the radio button that chooses a browser profile. `number`: its index in the list of profiles. */
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

byId('search').addEventListener('input', showDomains);
byId('all').addEventListener('click', () => importDomains(listDomainsToImport()));
byId('done').addEventListener('click', () =>
  runWithStatus(async () => {
    await ask('done', {});
    for (const control of document.querySelectorAll('button, input'))
      control.disabled = true;
    return 'Done. You can close this page.';
  }));

byId('search').focus();
await runWithStatus(async () => {
  const profiles = await ask('profiles');
  byId('profiles').append(...profiles.map(createProfileChoice));
  await showImported();
  await chooseProfile(0);
});
