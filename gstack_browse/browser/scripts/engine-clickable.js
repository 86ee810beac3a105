// What can be clicked without having a role (`snapshot -C`), and why.

// Told by Python, see reveal.py: scripts cannot see who listens.
const listeners = new WeakSet();
const delegates = new WeakSet();  // listens, and so does something inside it

const HOLDS_CONTROLS = 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=menuitem],[role=tab],[role=option],[onclick],[tabindex]';

// Why a person could click it, or ''. What merely inherits the hand of its parent is part of the parent.
function clickReasons(element, kind, tag, plain, context) {
  if (kind.operable || tag.name === 'body' || tag.name === 'html') return '';
  if (isLabel(element, tag)) return '';
  const reasons = [];
  if (!context.pointer && inheritsPointer(element)) reasons.push('cursor:pointer');
  if (!plain && hasAttr(element, 'onclick')) reasons.push('onclick');
  else if (listeners.has(element) && (reasons.length || !isDelegate(element))) reasons.push('listener');
  if (!plain && Number(attr(element, 'tabindex') ?? -1) >= 0 && attr(element, 'tabindex') !== '') reasons.push('tabindex');
  return reasons.join(', ');
}

// Clicking it, or anything in it, is clicking its control.
const isLabel = (element, tag) => tag.name === 'label' && controlOf(element) !== null;

const inheritsPointer = element => styleOf(element).cursor === 'pointer';

// One listener for everything inside is the page's plumbing, not a thing to click.
const isDelegate = element => delegates.has(element) || holdsControls(element);
const holdsControls = element => queryOne(element, HOLDS_CONTROLS) !== null;

// What a person would call it: its words, unless they are those of the controls in it.
function clickableName(element, role) {
  return holdsControls(element) ? '' : cleanText(nameFrom(element, role, { left: 200, visited: new Set() }, {}));
}

function markListeners(...nodes) {
  for (const node of nodes) if (isElement(node)) listeners.add(node);
  for (const node of nodes) {
    if (!isElement(node)) continue;
    for (const ancestor of ancestorsOf(node)) if (listeners.has(ancestor)) delegates.add(ancestor);
  }
}

Object.assign(exported, { markListeners });
