// The banner for a person who is asked to point at an element: the question, then a field for a remark. It is a frame within a closed
// shadow root, so that no listener of the page gets what is typed there. A sandboxed document without an origin gives no access to such a
// frame: there the banner has no field.
((question) => {
  const HTML = 'http://www.w3.org/1999/xhtml';
  /** Create an HTML element, also in a document of SVG or XML. `of`: the document that creates it. */
  const createHtmlElement = (name, of = document) => of.createElementNS(HTML, name);
  /** Set CSS properties ({ name: value }) that the page's style sheets cannot override. Return the element. */
  const setStyles = (element, styles) => {
    for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, 'important');
    return element;
  };
  const host = setStyles(createHtmlElement('div'), { all: 'initial', display: 'block' });
  const box = setStyles(createHtmlElement('dialog'), {
    display: 'block',
    position: 'fixed',
    inset: 'auto 16px 16px auto',
    width: '360px',
    'max-width': '90vw',
    height: '190px',
    margin: '0',
    padding: '0',
    overflow: 'hidden',
    border: '0',
    'z-index': '2147483647',
    background: 'none',
  });
  box.popover = 'manual';
  box.addEventListener('cancel', (event) => event.preventDefault());
  // A press beside the modal banner is one on its backdrop. It must not take the focus from the field, which hears Enter.
  box.addEventListener('mousedown', (event) => event.preventDefault());
  const frame = setStyles(createHtmlElement('iframe'), {
    display: 'block',
    width: '100%',
    height: '100%',
    border: '2px solid #0b57d0',
    'border-radius': '10px',
    'color-scheme': 'light',
    background: '#fff',
    'box-sizing': 'border-box',
  });
  frame.title = 'Question of gbrowse';
  host.attachShadow({ mode: 'closed' }).append(box);
  box.append(frame);
  document.documentElement.append(host);
  /**
   * Show the banner above everything else. `isModal`: the page cannot be clicked then, and a modal dialog of its own is below the banner.
   */
  const showOnTop = (isModal) => {
    if (box.matches(':modal')) box.close();
    if (box.matches(':popover-open')) box.hidePopover();
    if (isModal) box.showModal();
    else box.showPopover();
  };
  const inside = frame.contentDocument;
  const written = inside ?? document;
  /** Create an element (`name`: its tag) with a text, as a line of its own. */
  const createLine = (name, text, styles = {}) => {
    const found = setStyles(createHtmlElement(name, written), {
      display: 'block',
      margin: '0 0 8px',
      font: 'inherit',
      ...styles,
    });
    found.textContent = text;
    return found;
  };
  const body = inside?.body ?? createHtmlElement('div');
  setStyles(body, { margin: '12px', font: '15px/1.4 system-ui, sans-serif', color: '#1b1f24', background: '#fff' });
  if (!inside) {
    setStyles(body, { margin: '0', padding: '12px', border: '2px solid #0b57d0', 'border-radius': '10px' });
    frame.replaceWith(body);
  } else inside.documentElement.lang = 'en';

  const CORNERS = {
    ArrowUp: { top: '16px', bottom: 'auto' },
    ArrowDown: { top: 'auto', bottom: '16px' },
    ArrowLeft: { left: '16px', right: 'auto' },
    ArrowRight: { left: 'auto', right: '16px' },
  };
  let decide;
  /**
   * Return a promise of the person's decision: { act: "send", "again" or "cancel"; words: the remark }. `readWords`: returns the
   * remark that the person has typed.
   */
  const waitForDecision = (readWords) => new Promise((done) => decide = (act) => done({ act, words: readWords() }));
  inside?.addEventListener('keydown', (event) => {
    if (event.isTrusted && event.key === 'Escape') decide('cancel');
    if (inside.activeElement === body && CORNERS[event.key]) setStyles(box, CORNERS[event.key]);
  });

  /** Return whether the banner is still in the page. */
  const isInPlace = () => host.isConnected && (!inside || frame.contentDocument === inside);
  /** Create the banner's heading, with the question. */
  const createHeading = () =>
    createLine('h1', question, { 'font-weight': '600', 'max-height': '84px', overflow: 'auto' });
  return {
    isThere: isInPlace,
    /** Return the text that the person reads. */
    says: () => isInPlace() ? body.innerText : '',
    /** Return [x, y] of its upper left corner. */
    place: () => [box.getBoundingClientRect().x, box.getBoundingClientRect().y],
    /** Ask the person to point; resolve when they give up. */
    point() {
      showOnTop(false);
      body.replaceChildren(
        createHeading(),
        createLine('p', 'Point at it and click. Escape gives up; the arrow keys move this box.'),
      );
      if (inside) {
        body.tabIndex = -1;
        body.focus();
      }
      return waitForDecision(() => '');
    },
    /** Ask the person, who has pointed at the element `name`, for a remark; resolve when they decide. */
    ask(name) {
      if (!inside) return { act: 'send', words: '' };
      showOnTop(true);
      const label = createLine('label', `You chose ${name}. Anything to say about it?`);
      const field = setStyles(createHtmlElement('input', written), {
        display: 'block',
        width: '100%',
        margin: '4px 0 0',
        font: 'inherit',
        'box-sizing': 'border-box',
      });
      field.maxLength = 1000;
      label.append(field);
      const row = createHtmlElement('div', written);
      for (const [act, text] of [['send', 'Send'], ['again', 'Choose another'], ['cancel', 'Give up']]) {
        const button = setStyles(createHtmlElement('button', written), { font: 'inherit', margin: '0 8px 0 0' });
        button.type = 'button';
        button.textContent = text;
        button.addEventListener('click', (event) => event.isTrusted && decide(act));
        row.append(button);
      }
      field.addEventListener('keydown', (event) => {
        if (event.isTrusted && event.key === 'Enter' && !event.isComposing) decide('send');
      });
      body.replaceChildren(createHeading(), label, row);
      field.focus();
      return waitForDecision(() => field.value);
    },
    /** Remove the banner. */
    remove() {
      host.remove();
    },
  };
});
