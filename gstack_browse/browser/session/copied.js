// Reports to the daemon what a page copies, by keys, by `execCommand` or by `navigator.clipboard`. Runs in the page's own world before its scripts.
// The reporting function is removed from the window, so the page cannot find it. A forged report deceives the page's own browser context only.
(() => {
  const tell = globalThis.__gbrowseCopied;
  if (!tell) return;
  delete globalThis.__gbrowseCopied;
  const MOST = 1_000_000;
  const { stringify } = JSON;

  /** Report the clipboard's content: a text, null for one that is too long, and its markup, if any. */
  const report = (text, markup) =>
    tell(stringify([text.length > MOST ? null : text, markup.length > MOST ? '' : markup]));

  const heard = (event) => {
    if (!event.isTrusted) return;
    const data = event.clipboardData;
    const [text, markup] = event.defaultPrevented
      ? [data.getData('text/plain'), data.getData('text/html')]
      : selectedAt(event.composedPath()[0]);
    if (text || markup) report(text, markup);
  };

  /** Return [text, markup] that Chromium itself copies at an event's target: the selection in a field, or in the page. */
  function selectedAt(field) {
    if (typeof field.selectionStart === 'number')
      return [field.type === 'password' ? '' : field.value.slice(field.selectionStart, field.selectionEnd), ''];
    const selection = getSelection();
    return [String(selection), selection?.rangeCount ? markupOf(selection.getRangeAt(0)) : ''];
  }

  /** Return the markup of a range, from a copy in a document where nothing loads or runs. */
  function markupOf(range) {
    const root = range.commonAncestorContainer;
    if (!(root instanceof Element)) return '';
    const inert = document.implementation.createHTMLDocument('');
    const copy = inert.importNode(root, true);
    const same = (node) => node === root ? copy : same(node.parentNode).childNodes[indexOf(node)];
    const part = inert.createRange();
    part.setStart(same(range.startContainer), range.startOffset);
    part.setEnd(same(range.endContainer), range.endOffset);
    const holder = inert.createElement('div');
    holder.append(part.cloneContents());
    return holder.childElementCount ? holder.innerHTML : '';
  }

  const indexOf = (node) => Array.prototype.indexOf.call(node.parentNode.childNodes, node);

  for (const type of ['copy', 'cut']) {
    const listenLast = (event) => {
      event.target.addEventListener(type, heard, { once: true }); // a listener above it may stop the event
      removeEventListener(type, heard);
      addEventListener(type, heard);
    };
    addEventListener(type, listenLast, { capture: true });
  }

  /** Make a method of `navigator.clipboard` report what it has written, before its promise resolves. */
  const follow = (name, told) => {
    const methods = globalThis.Clipboard?.prototype; // undefined if the connection is not secure
    if (!methods) return;
    const apply = (method, clipboard, args) => Reflect.apply(method, clipboard, args).then(() => told(args[0]));
    methods[name] = new Proxy(methods[name], { apply });
  };
  follow('writeText', (text) => report(`${text}`, ''));
  follow('write', async ([item]) => {
    const has = (type) => item.types.includes(type) ? item.getType(type).then((blob) => blob.text()) : '';
    report(await has('text/plain'), await has('text/html'));
  });
})();
