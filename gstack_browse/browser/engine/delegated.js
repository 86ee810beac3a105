// Which elements have handlers in properties of their own, that one listener around them calls: evaluated in the page's world, where
// those properties are, with `throwOnSideEffect`, so that nothing of the page can run that does more than compute.
//
// Answers with the places of the elements among all of the document and, with `hasTreesInside`, of its open shadow trees and its frames of the same
// site: tree by tree, each after the one that holds it; their tags; and how many elements there are. null where there are too many.
((hasTreesInside) => {
  const EVENT = 'click|dblclick|contextmenu|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend';
  const HANDLER = new RegExp(`^(?:\\$\\$|__)(?:${EVENT})$`); // Solid's and Svelte's, each a property
  const HANDLED = new RegExp(`^(?:on)?(?:${EVENT})$`, 'i'); // Svelte's, Inferno's, React's, in an object
  const INTERNAL = /^[_$]/; // what others call their properties is theirs
  const JQUERY = /^jQuery\d+$/;
  const [MOST_ELEMENTS, MOST_FOUND, MOST_SELECTORS] = [10_000, 400, 200];
  const keysOf = Reflect.ownKeys, of = Object.getOwnPropertyDescriptor;
  /** Return a property's value without calling a getter of the page. */
  const read = (owner, key) => of(owner, key)?.value; // a getter of the page is not called
  /** Whether a value is an object. */
  const isObject = (value) => typeof value === 'object' && value !== null;
  /** Return all matches of a selector, by the prototypes' methods: a document has properties by the names of its pictures and forms. */
  const query = (root, selector) => {
    const nodeType = Reflect.apply(of(Node.prototype, 'nodeType').get, root, []);
    const owner = nodeType === 9 ? Document : nodeType === 11 ? DocumentFragment : Element;
    return Reflect.apply(owner.prototype.querySelectorAll, root, [selector]);
  };

  const trees = [document];
  /** Return all elements of the document, its open shadow trees and its frames of the same site, tree by tree. */
  const elementsOfAllTrees = () => {
    const inAll = [];
    for (let at = 0; at < trees.length && inAll.length <= MOST_ELEMENTS; at++) {
      for (const element of query(trees[at], '*')) {
        inAll.push(element);
        if (element.shadowRoot instanceof ShadowRoot) trees.push(element.shadowRoot);
      }
      for (const frame of query(trees[at], 'iframe')) if (frame.contentDocument) trees.push(frame.contentDocument);
    }
    return inAll;
  };
  const all = hasTreesInside ? elementsOfAllTrees() : query(document, '*');
  if (all.length > MOST_ELEMENTS) return null;

  /** Whether an object has a handler in a property named as an event. */
  const hasHandlerProperty = (value) =>
    keysOf(value).some((key) => typeof key === 'string' && HANDLED.test(key) && isHandler(read(value, key)));
  /** Whether a value may be an event handler. */
  const isHandler = (value) => typeof value === 'function' || isObject(value);
  /** Whether an object has a handler, in itself or one level deeper, as Blazor keeps them. */
  const hasNestedHandlers = (value) =>
    isObject(value)
    && (hasHandlerProperty(value) || isObject(read(value, 'handlers')) && hasHandlerProperty(read(value, 'handlers')));
  /** Whether a property of an element holds the handlers of a framework. */
  const isHandlerProperty = (element, key) => {
    if (typeof key === 'string' && HANDLER.test(key)) return isHandler(read(element, key));
    return (typeof key === 'symbol' || INTERNAL.test(key)) && hasNestedHandlers(read(element, key));
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
      if (!HANDLED.test(event) || !Array.isArray(handlers)) continue;
      for (const handler of handlers) {
        const selector = isObject(handler) && read(handler, 'selector');
        if (typeof selector !== 'string' || ++selectors > MOST_SELECTORS) continue;
        try {
          for (const element of query(root, selector)) matched.add(element);
        } catch {
          // one of jQuery's own selectors
        }
      }
    }
  };

  const found = [];
  for (const root of [...trees, ...all])
    for (const key of keysOf(root)) if (typeof key === 'string' && JQUERY.test(key)) matchJqueryDelegates(root, key);
  for (let place = 0; place < all.length; place++) {
    const element = all[place];
    if (matched.has(element) || keysOf(element).some((key) => isHandlerProperty(element, key))) found.push(place);
    if (found.length > MOST_FOUND) return null;
  }
  return { elements: all.length, places: found, tags: found.map((place) => all[place].localName) };
});
