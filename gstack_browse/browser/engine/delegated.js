// Finds elements whose event handlers a framework keeps in properties of the elements, and calls from one listener around them. Evaluated
// in the page's world, where these properties are, with `throwOnSideEffect`, so that code of the page can only compute.
//
// Returns { elements: their number, places: indices of the found ones among all, tags: of these }; null if there are too many. With
// `hasTreesInside` open shadow trees and frames of the same site are included, tree by tree, each after the one that contains it.
((hasTreesInside) => {
  const EVENT = 'click|dblclick|contextmenu|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend';
  const HANDLER_KEY = new RegExp(`^(?:\\$\\$|__)(?:${EVENT})$`); // Solid's and Svelte's, each a property
  const EVENT_KEY = new RegExp(`^(?:on)?(?:${EVENT})$`, 'i'); // Svelte's, Inferno's, React's, in an object
  const INTERNAL_KEY = /^[_$]/; // other properties are the page's own
  const JQUERY_KEY = /^jQuery\d+$/;
  const [MAX_ELEMENTS, MAX_FOUND, MAX_SELECTORS] = [10_000, 400, 200];
  const keysOf = Reflect.ownKeys, of = Object.getOwnPropertyDescriptor;
  /** Return a property's value without calling a getter of the page. */
  const read = (owner, key) => of(owner, key)?.value;
  /** Return whether a value is an object. */
  const isObject = (value) => typeof value === 'object' && value !== null;
  /** Return all matches of a selector, by the prototypes' methods, which images and forms of the page cannot hide. */
  const query = (root, selector) => {
    const nodeType = Reflect.apply(of(Node.prototype, 'nodeType').get, root, []);
    const owner = nodeType === 9 ? Document : nodeType === 11 ? DocumentFragment : Element;
    return Reflect.apply(owner.prototype.querySelectorAll, root, [selector]);
  };

  const trees = [document];
  /** Return all elements of the document, its open shadow trees and its frames of the same site, tree by tree. */
  const elementsOfAllTrees = () => {
    const inAll = [];
    for (let at = 0; at < trees.length && inAll.length <= MAX_ELEMENTS; at++) {
      for (const element of query(trees[at], '*')) {
        inAll.push(element);
        if (element.shadowRoot instanceof ShadowRoot) trees.push(element.shadowRoot);
      }
      for (const frame of query(trees[at], 'iframe')) if (frame.contentDocument) trees.push(frame.contentDocument);
    }
    return inAll;
  };
  const all = hasTreesInside ? elementsOfAllTrees() : query(document, '*');
  if (all.length > MAX_ELEMENTS) return null;

  /** Return whether an object has a handler in a property named as an event. */
  const hasHandlerProperty = (value) =>
    keysOf(value).some((key) => typeof key === 'string' && EVENT_KEY.test(key) && isHandler(read(value, key)));
  /** Return whether a value may be an event handler. */
  const isHandler = (value) => typeof value === 'function' || isObject(value);
  /** Return whether an object has a handler, in itself or one level deeper, as Blazor keeps them. */
  const hasNestedHandlers = (value) =>
    isObject(value)
    && (hasHandlerProperty(value) || isObject(read(value, 'handlers')) && hasHandlerProperty(read(value, 'handlers')));
  /** Return whether a property of an element holds the handlers of a framework. */
  const isHandlerProperty = (element, key) => {
    if (typeof key === 'string' && HANDLER_KEY.test(key)) return isHandler(read(element, key));
    return (typeof key === 'symbol' || INTERNAL_KEY.test(key)) && hasNestedHandlers(read(element, key));
  };

  const matched = new Set();
  let selectors = 0;
  /**
   * Remember the elements that selectors of jQuery's delegated listeners match: jQuery keeps these in a property of the element that
   * listens.
   */
  const matchJqueryDelegates = (root, key) => {
    const data = read(root, key), events = isObject(data) && read(data, 'events');
    if (!isObject(events)) return;
    for (const event of keysOf(events)) {
      const handlers = read(events, event);
      if (!EVENT_KEY.test(event) || !Array.isArray(handlers)) continue;
      for (const handler of handlers) {
        const selector = isObject(handler) && read(handler, 'selector');
        if (typeof selector !== 'string' || ++selectors > MAX_SELECTORS) continue;
        try {
          for (const element of query(root, selector)) matched.add(element);
        } catch {
          // a selector that only jQuery knows
        }
      }
    }
  };

  const found = [];
  for (const root of [...trees, ...all])
    for (const key of keysOf(root))
      if (typeof key === 'string' && JQUERY_KEY.test(key)) matchJqueryDelegates(root, key);
  for (let index = 0; index < all.length; index++) {
    const element = all[index];
    if (matched.has(element) || keysOf(element).some((key) => isHandlerProperty(element, key))) found.push(index);
    if (found.length > MAX_FOUND) return null;
  }
  return { elements: all.length, places: found, tags: found.map((index) => all[index].localName) };
});
