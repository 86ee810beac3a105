// Getters and methods of the DOM's prototypes as functions: `firstChildOf(node)` for `node.firstChild`. An `<input name="firstChild">` in a
// form hides the form's own property in every world, but not the prototype's.

/**
 * Return the getter function of the property `name` of a DOM interface (`owner`), such as `Node`; undefined if it has no such property.
 * @type {(owner: any, name: string) => any}
 */
export const getterOf = (owner, name) => Object.getOwnPropertyDescriptor(owner.prototype, name)?.get;
/**
 * Return a function that reads the property `name` of the interface `owner` from any object, even if the object has an own property of that
 * name, as a form has for each of its fields.
 */
export const makeGetter = (owner, name) => {
  const get = getterOf(owner, name);
  return (object) => get.call(object);
};
/**
 * Return a function that calls the method `name` of the interface `owner` on any object, even if the object has an own property of that
 * name, as a form has for each of its fields.
 */
export const makeMethod = (owner, name) => {
  const call = owner.prototype[name];
  return (object, ...args) => call.apply(object, args);
};
/**
 * Return a function that reads the property `name` of the interface named `owner` (a string). The interface is looked up at the first call,
 * since Chromium creates it only then, and few pages need it. Undefined for a property that this Chromium lacks.
 */
export const makeLateGetter = (owner, name) => {
  let read = null;
  return (object) => {
    read ??= getterOf(globalThis[owner], name) ? makeGetter(globalThis[owner], name) : () => undefined;
    return read(object);
  };
};
/**
 * Return a function that calls the method `name` of the interface named `owner` (a string). The interface is looked up at the first call,
 * since Chromium creates it only then, and few pages need it.
 */
export const makeLateMethod = (owner, name) => {
  let call = null;
  return (object, ...args) => (call ??= makeMethod(globalThis[owner], name))(object, ...args);
};

// Each accessor that the walk calls for every node has a function of its own: V8 inlines a call that is always the same one, which
// makes a walk a tenth faster.
const readFirstChild = getterOf(Node, 'firstChild');
/** Return `node.firstChild`. */
export const firstChildOf = (node) => readFirstChild.call(node);
const readNextSibling = getterOf(Node, 'nextSibling');
/** Return `node.nextSibling`. */
export const nextSiblingOf = (node) => readNextSibling.call(node);
const readParentNode = getterOf(Node, 'parentNode');
/** Return `node.parentNode`. */
export const parentNodeOf = (node) => readParentNode.call(node);
const readNodeType = getterOf(Node, 'nodeType');
/** Return `node.nodeType`: 1 element, 3 text, 9 document, 11 shadow root. */
export const nodeTypeOf = (node) => readNodeType.call(node);
const readDocument = getterOf(Node, 'ownerDocument');
/** Return `node.ownerDocument`; null for a document. */
export const documentOf = (node) => readDocument.call(node);
const readTextContent = getterOf(Node, 'textContent');
/** Return `node.textContent`. */
export const textContentOf = (node) => readTextContent.call(node);
const readData = getterOf(CharacterData, 'data');
/** Return the characters of a text node. */
export const dataOf = (node) => readData.call(node);
const readLocalName = getterOf(Element, 'localName');
/** Return the tag of an element, in lower case for HTML. */
export const localNameOf = (node) => readLocalName.call(node);
const readNamespace = getterOf(Element, 'namespaceURI');
/** Return the namespace URI of an element: that of HTML, SVG or MathML. */
export const namespaceOf = (node) => readNamespace.call(node);
const readOpenShadowRootIn = getterOf(Element, 'shadowRoot');
/** Return the open shadow root of an element, or null. */
export const openShadowRootIn = (node) => readOpenShadowRootIn.call(node);
const readChildElementCount = getterOf(Element, 'childElementCount');
/** Return `node.childElementCount`. */
export const childElementCountOf = (node) => readChildElementCount.call(node);
const callRootOf = Node.prototype.getRootNode;
/**
 * Return the root of a node's tree: its document, shadow root, or topmost ancestor if removed.
 * @type {(node: Node) => any}
 */
export const rootOf = (node) => callRootOf.call(node);
const callContainsNode = Node.prototype.contains;
/** Return whether `other` is `node` or below it in the same tree. */
export const containsNode = (node, other) => callContainsNode.call(node, other);
const callRectOf = Element.prototype.getBoundingClientRect;
/** Return the bounding box of an element as a `DOMRect`, in CSS pixels from the top left of its window's viewport. */
export const rectOf = (node) => callRectOf.call(node);
const callMatches = Element.prototype.matches;
/** Return whether an element matches a CSS selector. */
export const matches = (node, selector) => callMatches.call(node, selector);
const callClosest = Element.prototype.closest;
/**
 * Return the element or its nearest ancestor in the same tree that matches a CSS selector; null for none.
 * @type {(node: Node, selector: string) => any}
 */
export const closest = (node, selector) => callClosest.call(node, selector);
const callQueryAll = Element.prototype.querySelectorAll;
/** Return all descendants that match a CSS selector. */
export const queryAll = (node, selector) => callQueryAll.call(node, selector);
const callQueryOne = Element.prototype.querySelector;
/** Return the first descendant that matches a CSS selector, or null. */
export const queryOne = (node, selector) => callQueryOne.call(node, selector);

export const isConnected = makeGetter(Node, 'isConnected');
export const previousElementOf = makeGetter(Element, 'previousElementSibling');

/**
 * Return a function that reads the property `name` of an element, for properties that both HTML and SVG elements define. Only forms need
 * the prototype's getter, since the name of a field may hide their own property; all other elements are asked directly.
 */
const elementProperty = (name) => (element) =>
  localNameOf(element) === 'form' ? Reflect.get(HTMLFormElement.prototype, name, element) : element[name];
export const scrollHeightOf = elementProperty('scrollHeight');
export const scrollWidthOf = elementProperty('scrollWidth');
export const clientHeightOf = elementProperty('clientHeight');
export const clientWidthOf = elementProperty('clientWidth');
export const offsetHeightOf = elementProperty('offsetHeight');
export const offsetWidthOf = elementProperty('offsetWidth');
export const isContentEditable = elementProperty('isContentEditable');
export const parentElementOf = makeGetter(Node, 'parentElement');
export const labelsIn = elementProperty('labels');
export const scrollIntoView = makeMethod(Element, 'scrollIntoView');
/** Call `focus()` of the prototype on an element of HTML or SVG: a form with a field named "focus" has no such method. */
export const focusOn = (element) =>
  (element instanceof HTMLElement ? HTMLElement : SVGElement).prototype.focus.call(element);
export const innerTextOf = makeGetter(HTMLElement, 'innerText');
export const windowOf = makeGetter(Document, 'defaultView');
export const rootElementOf = makeGetter(Document, 'documentElement');
export const activeElementOf = makeGetter(Document, 'activeElement');
export const titleOf = makeGetter(Document, 'title');
export const bodyOf = makeGetter(Document, 'body');
export const headOf = makeGetter(Document, 'head');
export const scrollingElementOf = makeGetter(Document, 'scrollingElement');
export const documentHasFocus = makeMethod(Document, 'hasFocus');
export const newElement = makeMethod(Document, 'createElement');
export const ownAnimationsOf = makeMethod(Element, 'getAnimations');
export const attributesOf = makeGetter(Element, 'attributes');
export const scrollTopOf = makeGetter(Element, 'scrollTop');
export const scrollLeftOf = makeGetter(Element, 'scrollLeft');
export const scrollWithin = makeMethod(Element, 'scrollBy');
export const listenOn = makeMethod(EventTarget, 'addEventListener');
export const dispatchOn = makeMethod(EventTarget, 'dispatchEvent');
export const runCommand = makeMethod(Document, 'execCommand');
export const readyStateOf = makeGetter(Document, 'readyState');
export const baseAddressOf = makeGetter(Node, 'baseURI');
export const doctypeOf = makeGetter(Document, 'doctype');
export const implementationOf = makeGetter(Document, 'implementation');
export const fontsOf = makeGetter(Document, 'fonts');
export const newElementOf = makeMethod(Document, 'createElementNS');
export const newRange = makeMethod(Document, 'createRange');
export const newTreeWalker = makeMethod(Document, 'createTreeWalker');
export const evaluateXPath = makeMethod(Document, 'evaluate');
export const queryDocument = makeMethod(Document, 'querySelector');
export const queryInDocument = makeMethod(Document, 'querySelectorAll');
export const queryInFragment = makeLateMethod('DocumentFragment', 'querySelectorAll');

// Call it as `isRendered.call(element)`, or with WITH_VISIBILITY: a function around it would cost time for each element.
export const isRendered = Element.prototype.checkVisibility;
export const WITH_VISIBILITY = { visibilityProperty: true };

/** Return the computed style of an element, or of its pseudo-element, such as "::before". */
export const styleOf = (element, pseudo) => getComputedStyle(element, pseudo);
