// States and values: wai-aria 1.2, and what HTML elements know by themselves. Secrets are masked here, for everyone.

const MASK = '••••';
const SECRET_AUTOCOMPLETE = /\b(?:one-time-code|current-password|new-password|cc-csc|cc-number)\b/i;
const SECRET_NAME = /passw(?:or)?d|passphrase|passwd|\botp\b|one[-_ ]?time[-_ ]?(?:code|pass)|\b(?:totp|2fa|mfa)\b|verification[-_ ]?code|security[-_ ]?code|\bcvv\b|\bcvc\b/i;

// Fields whose value must never be printed. A password stays one when "show password" turned it into text.
const passwords = new WeakSet();
function isSecret(element) {
  const tag = localNameOf(element);
  if (tag !== 'input' && tag !== 'textarea') return false;
  if ((attr(element, 'type') || '').toLowerCase() === 'password') {
    passwords.add(element);
    return true;
  }
  if (passwords.has(element)) return true;
  if (SECRET_AUTOCOMPLETE.test(attr(element, 'autocomplete') || '')) return true;
  return SECRET_NAME.test(`${attr(element, 'name') || ''} ${attr(element, 'id') || ''}`.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' '))
    || SECRET_NAME.test(`${attr(element, 'name') || ''} ${attr(element, 'id') || ''}`);
}

const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);
const SELECTABLE = new Set(['option', 'tab', 'row', 'gridcell', 'cell', 'columnheader', 'rowheader', 'treeitem']);
const LEVELLED = new Set(['heading', 'treeitem', 'row', 'listitem']);
const DISABLED_BY_ARIA = new Set(`button checkbox combobox columnheader grid gridcell group link listbox menu menubar
  menuitem menuitemcheckbox menuitemradio option radio radiogroup row rowheader scrollbar searchbox separator slider
  spinbutton switch tab tablist textbox toolbar tree treegrid treeitem`.split(/\s+/));

// "checked,level=2": what is printed in brackets, in a fixed order.
function statesOf(element, role, tag) {
  const found = [];
  const aria = hasAttrs(element);
  if (tag === 'h1' || tag === 'h2' || tag === 'h3' || tag === 'h4' || tag === 'h5' || tag === 'h6' || aria && LEVELLED.has(role)) {
    const level = Number(attr(element, 'aria-level')) || (role === 'heading' ? Number(tag[1]) || 2 : 0);
    if (level) found.push(`level=${level}`);
  }
  if (!aria && tag !== 'input' && tag !== 'option' && tag !== 'select' && tag !== 'button' && tag !== 'textarea' && tag !== 'summary') return found;
  checkedState(element, role, found);
  if (anyDisabledBeside(element) && isDisabled(element, role)) found.push('disabled');
  expandedState(element, role, tag, found);
  tristate(element, 'aria-pressed', 'pressed', found);
  selectedState(element, role, found);
  if (attr(element, 'aria-current') && attr(element, 'aria-current') !== 'false') found.push('current');
  if (isReadonly(element, tag)) found.push('readonly');
  if (hasAttr(element, 'required') && isFormField(element) || attr(element, 'aria-required') === 'true') found.push('required');
  if (isInvalid(element)) found.push('invalid');
  if (attr(element, 'aria-busy') === 'true') found.push('busy');
  if (role === 'listbox' && (hasAttr(element, 'multiple') || attr(element, 'aria-multiselectable') === 'true')) found.push('multiple');
  return found;
}

function checkedState(element, role, found) {
  if (!CHECKABLE.has(role)) return;
  if (localNameOf(element) === 'input' && (element.type === 'checkbox' || element.type === 'radio')) {
    if (element.indeterminate) found.push('checked=mixed');
    else if (element.checked) found.push('checked');
    return;
  }
  tristate(element, 'aria-checked', 'checked', found);
}

function tristate(element, name, state, found) {
  const value = attr(element, name);
  if (value === 'true') found.push(state);
  else if (value === 'mixed') found.push(`${state}=mixed`);
}

// Whether anything is disabled in the element's tree: asked once, since most pages have nothing that is.
const anyDisabledBeside = element => remembered(treesWithDisabled, treeOf(element), hasDisabled);
const treesWithDisabled = new WeakMap();
const hasDisabled = root => [':disabled', '[aria-disabled=true]'].some(selector => queryTree(root, selector) !== null);

// A field in a disabled fieldset is disabled; aria-disabled also holds for what is inside.
function isDisabled(element, role = roleOf(element)) {
  if (matches(element, ':disabled')) return true;
  if (!DISABLED_BY_ARIA.has(role)) return false;
  return closest(element, '[aria-disabled=true]') !== null;
}

function expandedState(element, role, tag, found) {
  if (tag === 'summary' && role === 'button') {
    found.push(parentNodeOf(element).open ? 'expanded' : 'collapsed');
    return;
  }
  const value = attr(element, 'aria-expanded');
  if (value === 'true') found.push('expanded');
  else if (value === 'false') found.push('collapsed');
}

function selectedState(element, role, found) {
  if (!SELECTABLE.has(role)) return;
  if (localNameOf(element) === 'option' ? element.selected : attr(element, 'aria-selected') === 'true') found.push('selected');
}

function isReadonly(element, tag) {
  if (attr(element, 'aria-readonly') === 'true') return true;
  if (!hasAttr(element, 'readonly')) return false;
  return tag === 'textarea' || tag === 'input' && !['checkbox', 'radio', 'range', 'color', 'file'].includes(element.type);
}

function isInvalid(element) {
  const value = attr(element, 'aria-invalid');
  if (value) return value !== 'false';
  return isFormField(element) && matches(element, ':user-invalid');
}

const VALUED_INPUTS = new Set(['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'hidden']);

// The value as a person sees it; '' when there is none or it is already the name.
function valueOf(element, role, tag) {
  if (tag === 'input') return VALUED_INPUTS.has(element.type) ? '' : inputValue(element);
  if (tag === 'textarea') return isSecret(element) ? masked(element.value) : element.value;
  if (tag === 'select') return role === 'combobox' ? chosenText(element) : '';
  if (tag === 'progress' || tag === 'meter') return hasAttr(element, 'value') ? String(element.value) : '';
  if (RANGES.has(role)) return attr(element, 'aria-valuetext') || attr(element, 'aria-valuenow') || '';
  if ((role === 'textbox' || role === 'searchbox' || role === 'combobox') && isEditable(element)) return textContentOf(element);
  return '';
}

const masked = value => value ? MASK : '';

function inputValue(element) {
  if (isSecret(element)) return masked(element.value);
  if (element.type === 'file') return Array.from(element.files || [], file => file.name).join(', ');
  return element.value;
}

Object.assign(exported, { isSecret, isDisabled, statesOf, valueOf, MASK });
