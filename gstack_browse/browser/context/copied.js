// Reports to the daemon what a page copies, by keys, by `execCommand` or by `navigator.clipboard`. Runs in the page's own world before its
// scripts. The reporting function is removed from the window, so the page cannot find it. A forged report deceives the page's own browser
// context only.
(() => {
  const tell = globalThis.__gbrowseCopied;
  if (!tell) return;
  delete globalThis.__gbrowseCopied;
  const MAX_CHARACTERS = 1_000_000;
  const { stringify } = JSON;

  /** Tell the daemon what was copied: [text, or null if it is too long; markup, or "" if there is none or it is too long]. */
  const report = (text, markup) =>
    tell(stringify([text.length > MAX_CHARACTERS ? null : text, markup.length > MAX_CHARACTERS ? '' : markup]));

  /** Handle a `copy` or `cut` event, after the page's listeners: report the copied text and markup. */
  const onCopy = (event) => {
    if (!event.isTrusted) return;
    const data = event.clipboardData;
    const [text, markup] = event.defaultPrevented
      ? [data.getData('text/plain'), data.getData('text/html')]
      : selectedAt(event.composedPath()[0]);
    if (text || markup) report(text, markup);
  };

  /** Return [text, markup] that Chromium copies: the selection in `field` if that is a text field, else in the page. */
  function selectedAt(field) {
    if (typeof field.selectionStart === 'number')
      return [field.type === 'password' ? '' : field.value.slice(field.selectionStart, field.selectionEnd), ''];
    const selection = getSelection();
    return [String(selection), selection?.rangeCount ? markupOf(selection.getRangeAt(0)) : ''];
  }

  /** Return the HTML of a range of the page. It is copied into a document where nothing loads or runs. */
  function markupOf(range) {
    const root = range.commonAncestorContainer;
    if (!(root instanceof Element)) return '';
    const inert = document.implementation.createHTMLDocument('');
    const copy = inert.importNode(root, true);
    /** Return the node in `copy` that corresponds to a node of the page. */
    const copyOfNode = (node) => node === root ? copy : copyOfNode(node.parentNode).childNodes[childIndex(node)];
    const part = inert.createRange();
    part.setStart(copyOfNode(range.startContainer), range.startOffset);
    part.setEnd(copyOfNode(range.endContainer), range.endOffset);
    const holder = inert.createElement('div');
    holder.append(part.cloneContents());
    return holder.childElementCount ? holder.innerHTML : '';
  }

  /** Return the index of a node among its siblings. */
  const childIndex = (node) => Array.prototype.indexOf.call(node.parentNode.childNodes, node);

  for (const type of ['copy', 'cut']) {
    /** Make `onCopy` the last listener of this event, so that it runs after those of the page. */
    const listenLast = (event) => {
      event.target.addEventListener(type, onCopy, { once: true }); // a listener above it may stop the event
      removeEventListener(type, onCopy);
      addEventListener(type, onCopy);
    };
    addEventListener(type, listenLast, { capture: true });
  }

  /** Wrap the method `name` of `navigator.clipboard`: once it has succeeded, call `reportArgument` with its argument. */
  const reportWrites = (name, reportArgument) => {
    const methods = globalThis.Clipboard?.prototype; // undefined if the connection is not secure
    if (!methods) return;
    /** Call the clipboard's method (a trap of the proxy), and report its argument once it has succeeded. */
    const apply = (method, clipboard, args) =>
      Reflect.apply(method, clipboard, args).then(() => reportArgument(args[0]));
    methods[name] = new Proxy(methods[name], { apply });
  };
  reportWrites('writeText', (text) => report(`${text}`, ''));
  reportWrites('write', async ([item]) => {
    /** Return the text of the copied `ClipboardItem` in a MIME type; "" if it has none. */
    const textOfType = (type) => item.types.includes(type) ? item.getType(type).then((blob) => blob.text()) : '';
    report(await textOfType('text/plain'), await textOfType('text/html'));
  });
})();
