// The walk: one pass over everything that this frame can reach, in the order a person meets it, as compact columns.
//
// Every element that has a role gets a line and a number, whatever is printed later. Text that is not already part
// of a name gets a line without a number. Cost is about 2 µs per element; nothing is asked of an element that its
// neighbours already answer (see `wrapper`).

const OPERABLE = new Set(`button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio
  searchbox slider spinbutton switch tab textbox treeitem`.split(/\s+/));
// Roles of running text: their words belong to the paragraph around them.
const FLAT = new Set(['strong', 'emphasis', 'code', 'mark', 'subscript', 'superscript', 'time', 'insertion', 'deletion', 'suggestion']);
const SILENT = new Set(['script', 'style', 'template', 'noscript', 'head', 'meta', 'link', 'title', 'source', 'track', 'param',
  'base', 'col', 'colgroup', 'rp', 'noframes', 'noembed', 'datalist']);
const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
// Listed although they say nothing: there is something to act on, or to see.
const STANDS_ALONE = new Set([...OPERABLE, ...CELLS, 'img', 'iframe', 'video', 'audio', 'canvas', 'embed', 'separator',
  'progressbar', 'meter', 'scrollbar', 'dialog', 'alertdialog', 'heading', 'math', 'document', 'application']);
const NAMED = new Set(['heading', 'tooltip', 'img', 'progressbar', 'meter', 'scrollbar', 'math', 'iframe']);
const INLINE = new Set(['a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'ins',
  'kbd', 'label', 'mark', 'nobr', 'q', 'ruby', 's', 'samp', 'slot', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time',
  'tt', 'u', 'var', 'wbr']);
const NEVER_SCROLLS = new Set(['table', 'tbody', 'thead', 'tfoot', 'tr', 'td', 'th', 'a', 'span', 'p', 'li']);

const MANY_SIBLINGS = 8;   // from here on generic siblings are listed too, so that a long run of them can be folded
const MAX_DEPTH = 700;     // of the composed tree: the parser stops at 512, scripts that go deeper attack the stack
const BASE = 93;           // columns of small numbers travel as characters from here on: no JSON escape needed

const DEPTHS = Array.from({ length: MAX_DEPTH + 100 }, (_, depth) => String.fromCharCode(BASE + depth));

class Walk {
  constructor(options) {
    this.cursor = options.cursor === true;
    this.depths = [];
    this.roles = [];
    this.refs = [];            // number, negative for a @c reference, 0 for text
    this.names = [];
    this.states = [];
    this.values = [];
    this.text = '';
    this.textDepth = 0;
    this.trees = [];           // documents and shadow roots, each with its own listeners
    this.remote = [];          // frames of another process or origin: [line, id]
    this.suspects = [];        // elements that may have a closed shadow root
    this.scope = options.scope && table.scope?.key === String(options.scope) ? table.scope.node.deref() || null : null;
    this.range = null;
    this.owned = null;
    this.modal = null;
    this.depth = 0;
  }

  document(root, depth) {
    this.trees.push(root);
    const before = [this.owned, this.modal, this.active];
    const top = rootElementOf(root);
    if (top) {
      this.owned = ownedIn(top);
      this.modal = modalOf(root);
      this.active = activeElementOf(root);
      this.element(top, depth, PLAIN_CONTEXT);
      this.flush();
    }
    [this.owned, this.modal, this.active] = before;
  }

  element(element, depth, context) {
    const tag = localNameOf(element);
    if (SILENT.has(tag) || this.depth > MAX_DEPTH) return;
    const plain = !hasAttrs(element);
    if (!plain && isClosedOff(element) || this.isOutsideModal(element)) return;
    const first = firstChildOf(element);
    const role = contentRole(element, plain, tag, context);
    const wrapper = first !== null && isElement(first) && !STANDS_ALONE_UNCHECKED.has(role);
    const hidden = wrapper ? null : hiddenness(element);
    if (hidden === 'none' || !plain && isCollapsed(element, tag, role)) return;
    const start = this.depths.length;
    this.depth++;
    this.listed(element, tag, role, plain, depth, context, hidden);
    this.depth--;
    if (element === this.scope) {
      this.flush();
      this.range = [Math.min(start, this.depths.length), this.depths.length];
    }
  }

  listed(element, tag, role, plain, depth, context, hidden) {
    const block = !INLINE.has(tag);
    if (block) this.flush();
    if (element === this.scope) this.flush();
    const why = this.cursor && hidden !== 'self' && !context.operable ? clickReasons(element, role, plain, context) : '';
    const name = this.ownName(element, role, plain, tag, hidden) || (why && clickableName(element, role));
    const listed = hidden !== 'self' && (role !== '' && !FLAT.has(role) || name !== '' || why !== '' || context.item);
    if (!listed) {
      this.children(element, tag, depth, this.inner(element, role, name, why, context), hidden);
    } else {
      this.line(element, tag, role, plain, depth, context, { name, why, hidden });
    }
    if (block) this.flush();
  }

  line(element, tag, role, plain, depth, context, { name, why, hidden }) {
    this.flush();
    const index = this.depths.length;
    this.push(depth, role || 'generic', idOf(element), name);
    if (why) this.refs[index] = -clickableNumberOf(element);
    this.describe(index, element, role, tag, why);
    const text = why === '' && hidden === '' && !context.covered ? loneText(element, role) : null;
    if (text !== null) return this.leaf(index, role, cleanText(text));
    this.children(element, tag, depth + 1, this.inner(element, role, name, why, context), hidden);
    this.flush();
    this.finish(index, element, tag, role, why);
  }

  push(depth, role, ref, name) {
    this.depths.push(depth);
    this.roles.push(role);
    this.refs.push(ref);
    this.names.push(name);
  }

  pop() {
    this.depths.pop();
    this.roles.pop();
    this.refs.pop();
    this.names.pop();
  }

  describe(index, element, role, tag, why) {
    const states = statesOf(element, role, tag);
    if (element === this.active && tag !== 'body') states.push('focused');
    if (why) states.push(why);
    if (states.length) this.states.push([index, states.join(', ')]);
    const value = cleanText(valueOf(element, role, tag));
    if (value && value !== this.names[index]) this.values.push([index, value]);
  }

  // The short way for what holds one text and nothing else, such as most cells of a table.
  leaf(index, role, text) {
    if (CELLS.has(role) && !this.names[index]) this.names[index] = text;
    else if (text && text !== this.names[index]) this.values.push([index, text]);
    else if (!text && !this.names[index] && !STANDS_ALONE.has(role) && !this.hasNotes(index)) this.pop();
  }

  // A line whose only content is text takes it as its own; one that says nothing at all goes again.
  finish(index, element, tag, role, why) {
    const inside = this.depths.length - index - 1;
    if (inside === 1 && this.refs[index + 1] === 0 && role !== '') this.adoptText(index, role);
    else if (inside === 0 && !this.names[index] && !STANDS_ALONE.has(role) && !why && !this.hasNotes(index)) this.pop();
    if (inside >= 4 && !NEVER_SCROLLS.has(tag)) this.noteScrolling(index, element);
  }

  hasNotes(index) {
    const [states, values] = [this.states.at(-1), this.values.at(-1)];
    return states !== undefined && states[0] === index || values !== undefined && values[0] === index;
  }

  adoptText(index, role) {
    const text = this.names[index + 1];
    this.pop();
    if (CELLS.has(role) && !this.names[index]) this.names[index] = text;
    else if (text !== this.names[index]) this.values.push([index, text]);
  }

  noteScrolling(index, element) {
    const note = scrollNote(element);
    if (!note) return;
    const found = this.states.find(([line]) => line === index);
    if (found) found[1] += `, ${note}`;
    else this.states.push([index, note]);
  }

  // Names that are worth a line; of cells, rows and items the content says it all.
  ownName(element, role, plain, tag, hidden) {
    if (hidden === 'self') return '';
    if (OPERABLE.has(role) || NAMED.has(role)) return nameOf(element, role);
    if (plain && !NATIVELY_NAMED.has(tag)) return '';
    if (CELLS.has(role) || role === 'row') return isNamedAnyway(element) ? nameOf(element, role) : '';
    return role === '' && !isNamedAnyway(element) ? '' : nameOf(element, role);
  }

  inner(element, role, name, why, context) {
    const operable = context.operable || OPERABLE.has(role) && role !== 'treeitem' && role !== 'listbox';
    const covered = context.covered || name !== '' && COVERS.has(role) || FIELD.has(role) || role === 'img' || why !== '' && name !== '';
    const item = runsLong(element);
    const pointer = this.cursor && (why.includes('cursor') || context.pointer && inheritsPointer(element));
    if (operable === context.operable && covered === context.covered && item === context.item && pointer === context.pointer) return context;
    return { operable, covered, item, pointer, child: true };
  }

  children(element, tag, depth, context, hidden) {
    if (isFrame(element)) return this.frame(element, depth);
    if (OPAQUE_TAGS.has(tag)) return;
    const shadow = shadowRootOf(element);
    if (shadow) {
      this.trees.push(shadow);
      this.siblings(firstChildOf(shadow), element, depth, context, hidden);
    } else if (tag === 'slot' && isSlot(element) && assignedTo(element).length) {
      for (const node of assignedTo(element)) this.node(node, element, depth, context, hidden);
    } else {
      this.suspect(element, tag);
      this.siblings(firstChildOf(element), element, depth, context, hidden);
    }
    if (this.owned && hasAttr(element, 'aria-owns')) {
      for (const node of referenced(element, 'aria-owns')) if (this.owned.get(node) === element) this.element(node, depth, context);
    }
  }

  siblings(first, element, depth, context, hidden) {
    for (let node = first; node; node = nextSiblingOf(node)) {
      if (nodeTypeOf(node) === 1 && this.owned && this.owned.has(node)) continue;
      hidden = this.node(node, element, depth, context, hidden);
    }
  }

  // Returns what is now known of the parent's own visibility: it is only asked for when there is text to show.
  node(node, parent, depth, context, hidden) {
    const type = nodeTypeOf(node);
    if (type === 1) {
      this.element(node, depth, context);
      return hidden;
    }
    if (type !== 3 || context.covered) return hidden;
    const text = dataOf(node);
    const known = hidden === null && text.trim() !== '' ? hiddenness(parent) : hidden;
    if (known === '' || known === null) this.say(text, depth);
    return known;
  }

  say(text, depth) {
    if (!this.text) this.textDepth = depth;
    this.text += text;
  }

  // Text goes out when something else begins: inline pieces of one sentence are one line.
  flush() {
    if (!this.text) return;
    const text = cleanText(this.text);
    this.text = '';
    if (text) this.push(this.textDepth, 'text', 0, text);
  }

  frame(element, depth) {
    const inside = contentDocumentOf(element);
    if (!inside) {
      this.remote.push([this.depths.length - 1, idOf(element)]);
      return;
    }
    share(inside);
    this.depth++;
    this.document(inside, depth);
    this.depth--;
  }

  suspect(element, tag) {
    if (examined.has(element) || closedRoots.has(element) || this.suspects.length >= MAX_SUSPECTS) return;
    if (tag.includes('-') || firstChildOf(element) === null && CAN_HOST.has(tag) && element.offsetHeight > 0) this.suspects.push(element);
  }

  isOutsideModal(element) {
    const modal = this.modal;
    return modal !== null && element !== modal && !containsNode(modal, element) && !containsNode(element, modal) && !isInShadowOf(modal, element);
  }

  encode() {
    const kinds = [...new Set(this.roles)];
    const code = new Map(kinds.map((kind, index) => [kind, String.fromCharCode(BASE + index)]));
    const meta = {
      token: table.token, kinds, next: table.next, range: this.range, remote: this.remote,
      suspects: this.suspects.length, states: this.states, values: this.values, url: location.href, title: titleOf(document),
    };
    const [refs, jumps] = encodeRefs(this.refs);
    meta.jumps = jumps;
    return [
      JSON.stringify(meta),
      this.depths.reduce((column, depth) => column + DEPTHS[depth], ''),
      this.roles.reduce((column, role) => column + code.get(role), ''),
      refs,
      this.names.join('\n'),
    ].join('\u001e');
  }
}

const PLAIN_CONTEXT = { operable: false, covered: false, item: false, pointer: false };
const MAX_SUSPECTS = 200;
const COVERS = new Set([...OPERABLE, 'heading', 'tooltip']);
const SPEAKS_BY_NAME = new Set([...COVERS, 'img', 'iframe', 'textbox', 'searchbox', 'spinbutton', 'slider', 'progressbar', 'meter']);
const FIELD = new Set(['textbox', 'searchbox', 'spinbutton', 'slider', 'progressbar', 'meter']);
const OPAQUE_TAGS = new Set(['input', 'textarea', 'video', 'audio', 'progress', 'meter', 'object', 'embed', 'canvas', 'img', 'br', 'hr']);
const NATIVELY_NAMED = new Set(['table', 'fieldset', 'figure', 'iframe', 'details', 'optgroup', 'svg', 'output']);
const CAN_HOST = new Set(['div', 'span', 'section', 'article', 'aside', 'main', 'nav', 'header', 'footer', 'p', 'blockquote']);
const STANDS_ALONE_UNCHECKED = new Set([...STANDS_ALONE].filter(role => !CELLS.has(role)));
const examined = new WeakSet();

// Numbers mostly follow each other: "+" is the last one plus one, "0" is text, "!" takes the next of `jumps`.
function encodeRefs(refs) {
  const jumps = [];
  let last = 0;
  let column = '';
  for (const ref of refs) {
    if (ref === 0) {
      column += '0';
    } else if (ref === last + 1) {
      column += '+';
      last = ref;
    } else {
      column += '!';
      jumps.push(ref);
      if (ref > 0) last = ref;
    }
  }
  return [column, jumps];
}

function contentRole(element, plain, tag, context) {
  const role = roleOf(element);
  if (role === '' && !plain && isEditingHost(element)) return 'textbox';
  return role;
}

function isEditingHost(element) {
  const editable = attr(element, 'contenteditable');
  return editable !== null && editable !== 'false' && editable !== 'inherit';
}

// No size and cut off, or a control of no size that no label stands for.
function isCollapsed(element, tag, role) {
  if (INLINE.has(tag) && tag !== 'a' || tag === 'option' || tag === 'optgroup' || tag === 'area' || tag === 'body' || tag === 'html') return false;
  if (!hasAttr(element, 'class') && !hasAttr(element, 'style') && !hasAttr(element, 'width') && !hasAttr(element, 'height')) return false;
  const [width, height] = [element.offsetWidth, element.offsetHeight];
  if (width > 0 && height > 0 || width === undefined) return false;
  if (tag === 'iframe') return true;
  const style = styleOf(element);
  if (style.display === 'contents') return false;
  if (tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'button') return !labelsOf(element).length;
  const clipped = style.overflowX !== 'visible' && width === 0 || style.overflowY !== 'visible' && height === 0;
  return clipped || OPERABLE.has(role) && width === 0 && height === 0 && !childElementCountOf(element);
}

// Elements that aria-owns moves, and to whom.
function ownedIn(top) {
  const owners = queryAll(top, '[aria-owns]');
  if (!owners.length) return null;
  const owned = new Map();
  for (const owner of owners) {
    for (const node of referenced(owner, 'aria-owns')) {
      if (!owned.has(node) && node !== owner && !containsNode(node, owner)) owned.set(node, owner);
    }
  }
  return owned;
}

function isInShadowOf(modal, element) {
  let root = rootOf(element);
  while (nodeTypeOf(root) === 11 && root.host) {
    if (containsNode(modal, root.host) || root.host === modal) return true;
    root = rootOf(root.host);
  }
  return false;
}

const runsLong = element => childElementCountOf(element) >= MANY_SIBLINGS && localNameOf(element) !== 'body'
  || localNameOf(element) === 'body' && childElementCountOf(element) >= MANY_SIBLINGS;

const HOLDS_CONTROLS = 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=menuitem],[role=tab],[role=option],[onclick],[tabindex]';

// What a person would call it: its words.
function clickableName(element, role) {
  return cleanText(nameFrom(element, role, { left: 200, visited: new Set() }, {}));
}

// The text of an element that holds nothing else, where the walk would make it the line's own; else null.
const loneText = (element, role) => role === '' || SPEAKS_BY_NAME.has(role) ? null : onlyText(element);

// Why a person could click it, or ''. What merely inherits the hand of its parent is part of the parent.
const listeners = new WeakSet();
const delegates = new WeakSet();  // listens, and so does something inside it
function clickReasons(element, role, plain, context) {
  if (OPERABLE.has(role) || localNameOf(element) === 'body' || localNameOf(element) === 'html') return '';
  if (localNameOf(element) === 'label' && element.control) return '';
  const reasons = [];
  if (!context.pointer && styleOf(element).cursor === 'pointer') reasons.push('cursor:pointer');
  if (!plain && hasAttr(element, 'onclick')) reasons.push('onclick');
  else if (listeners.has(element) && (reasons.length || !isDelegate(element))) reasons.push('listener');
  if (!plain && Number(attr(element, 'tabindex') ?? -1) >= 0 && attr(element, 'tabindex') !== '') reasons.push('tabindex');
  return reasons.join(', ');
}

// One listener for everything inside is the page's plumbing, not a thing to click.
const isDelegate = element => delegates.has(element) || queryOne(element, HOLDS_CONTROLS) !== null;

const inheritsPointer = element => styleOf(element).cursor === 'pointer';

// "[scrollable: 12 of about 1000 rows in view]" for what hides more than it shows.
function scrollNote(element) {
  const height = clientHeightOf(element);
  if (!height || scrollHeightOf(element) <= height + 8) return '';
  const overflow = styleOf(element).overflowY;
  if (overflow !== 'auto' && overflow !== 'scroll') return '';
  const items = scrolledItems(element);
  if (items.length < 3) return 'scrollable';
  return countInView(element, items);
}

function scrolledItems(element) {
  let holder = element;
  for (let level = 0; level < 6; level++) {
    const items = [...childrenOf(holder)].filter(child => isElement(child) && isRendered.call(child));
    if (items.length > 2) return items;
    const next = items.toSorted((a, b) => rectOf(b).height - rectOf(a).height)[0];
    if (!next) return [];
    holder = next;
  }
  return [];
}

function countInView(element, items) {
  const view = rectOf(element);
  const rects = items.map(rectOf).filter(rect => rect.height > 0);
  if (!rects.length) return 'scrollable';
  const inView = rects.filter(rect => rect.bottom > view.top + 1 && rect.top < view.bottom - 1).length;
  const span = rects.at(-1).bottom - rects[0].top;
  const told = Number(attr(element, 'aria-rowcount') || attr(element, 'aria-setsize') || attr(items[0], 'aria-setsize'));
  const whole = scrollHeightOf(element);
  const about = Math.max(items.length, span > 0 ? Math.round(whole / (span / rects.length)) : 0);
  const total = told > 0 ? `${told}` : about > items.length ? `about ${about}` : `${items.length}`;
  return `scrollable: ${inView} of ${total} ${roleOf(items[0]) === 'row' ? 'rows' : 'items'} in view`;
}

// A frame we can reach uses our table, so that locators work in it; its own engine is loaded only when needed.
function share(inside) {
  const view = windowOf(inside);
  if (view && !view.__gbrowse) view.__gbrowse = exported;
}

function take(options) {
  if (options.next) {
    table.next.e = Math.max(table.next.e, options.next.e);
    table.next.c = Math.max(table.next.c, options.next.c);
  }
  sweepTable();
  const walk = new Walk(options);
  walk.document(document, 0);
  table.suspects = walk.suspects;
  table.trees = walk.trees.map(root => new WeakRef(root));
  return walk.encode();
}

// What a key is now: null when gone, else its role and name, the iframes of this process around it (ids, and their
// places among their siblings), and its own place when it is an iframe.
function locate(key) {
  const node = nodeFor(key);
  if (!node) return null;
  const [frames, places] = [[], []];
  for (let view = windowOf(documentOf(node)); view !== window;) {
    const frame = view.frameElement;
    if (!frame || !isAlive(frame)) return null;
    frames.unshift(idOf(frame));
    places.unshift(placeOf(frame));
    view = windowOf(documentOf(frame));
  }
  const role = contentRole(node, !hasAttrs(node), localNameOf(node));
  const place = isFrame(node) ? placeOf(node) : -1;
  return { token: table.token, id: idOf(node), frames, places, place, role: role || 'generic', name: nameOf(node, role).slice(0, 200) };
}

// Which of its window's frames an iframe shows.
function placeOf(frame) {
  const view = windowOf(documentOf(frame));
  for (let index = 0; index < view.length; index++) if (view[index] === frame.contentWindow) return index;
  return -1;
}

// Where the nodes are on the screen, in CSS pixels of this process's own viewport: [x, y, width, height], or null for
// what cannot be seen there: outside, scrolled away, or under something else.
function boxes(keys) {
  return keys.map(key => {
    const node = nodeFor(key);
    return node && isElement(node) && isUncovered(node) ? boxOf(node) : null;
  });
}

function isUncovered(element) {
  const rect = rectOf(element);
  const view = windowOf(documentOf(element));
  const [left, right] = [Math.max(rect.left, 0), Math.min(rect.right, view.innerWidth)];
  const [top, bottom] = [Math.max(rect.top, 0), Math.min(rect.bottom, view.innerHeight)];
  if (right - left < 1 || bottom - top < 1) return false;
  const root = rootOf(element);
  const hit = root.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  if (!hit) return false;
  if (containsNode(element, hit) || containsNode(hit, element)) return true;
  return [...ancestorsOf(hit)].includes(element) || labelsOf(element).some(label => containsNode(label, hit));
}

function boxOf(element) {
  const rect = rectOf(element);
  if (rect.width < 1 || rect.height < 1) return null;
  let [x, y] = [rect.left, rect.top];
  for (let view = windowOf(documentOf(element)); view && view !== window;) {
    const frame = view.frameElement;
    if (!frame) return null;
    const outer = rectOf(frame);
    x += outer.left + frame.clientLeft + parseFloat(getComputedStyle(frame).paddingLeft);
    y += outer.top + frame.clientTop + parseFloat(getComputedStyle(frame).paddingTop);
    view = windowOf(documentOf(frame));
  }
  return [x, y, rect.width, rect.height];
}

// Where the viewport of an iframe begins in this process's viewport.
function insideOf(id) {
  const frame = nodeFor(id);
  const box = frame && boxOf(frame);
  if (!box) return [0, 0];
  const style = getComputedStyle(frame);
  return [box[0] + frame.clientLeft + parseFloat(style.paddingLeft), box[1] + frame.clientTop + parseFloat(style.paddingTop)];
}

const viewportSize = () => ({ width: window.innerWidth, height: window.innerHeight });

Object.assign(exported, { take, locate, boxes, insideOf, viewportSize, sweepTable });
