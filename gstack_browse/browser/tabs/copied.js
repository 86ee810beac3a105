// Tells the daemon what a page copies, by keys, by `execCommand` or by `navigator.clipboard`. Runs in the page's own world before its scripts. What
// tells is known to nobody else: it is taken out of the window. A page that lies here lies to its own browser context only.
(() => {
  const tell = globalThis.__gbrowseCopied;
  if (!tell) return;
  delete globalThis.__gbrowseCopied;
  const MOST = 1_000_000;
  const { stringify } = JSON;

  /** Tell what is in the clipboard now: a text, null for one that is too long, and its markup, if any. */
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

  /** Return what Chromium itself copies at the target of an event: the selection in a field, or in the page. */
  function selectedAt(field) {
    if (typeof field.selectionStart === 'number')
      return [field.type === 'password' ? '' : field.value.slice(field.selectionStart, field.selectionEnd), ''];
    const selection = getSelection();
    return [String(selection), selection?.rangeCount ? markupOf(selection.getRangeAt(0)) : ''];
  }

  /** The markup of a range, from a copy in a document in which nothing loads or runs. */
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
      event.target.addEventListener(type, heard, { once: true }); // what is above it may end the event's way
      removeEventListener(type, heard);
      addEventListener(type, heard);
    };
    addEventListener(type, listenLast, { capture: true });
  }

  /** Have a method of `navigator.clipboard` tell what it has written before the page hears of its success. */
  const follow = (name, told) => {
    const methods = globalThis.Clipboard?.prototype; // none where the connection is not secure
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
