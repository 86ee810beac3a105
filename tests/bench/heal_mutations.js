// Rules by which pages are changed to measure healing. They were fixed before the weights of `flows/matching.py` were tuned, and are not
// to be changed together with these. `data-truth` marks an element for the measurement; no description of an element has it.
// Each rule gets the marked elements and a random number generator, and returns the elements that no longer have one right answer.

globalThis.healRules = (() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const SYNONYMS = {
    add: 'put', apply: 'use', back: 'return', book: 'reserve', buy: 'purchase', cancel: 'stop', close: 'dismiss', continue: 'next step',
    delete: 'remove', download: 'get', edit: 'change', email: 'mail address', name: 'title', new: 'another', order: 'buy now',
    password: 'passphrase', pay: 'send money', save: 'store', search: 'find', send: 'submit', sign: 'log', street: 'road',
  };

  /** Rename all ids and classes, with what refers to them: the next build of a site. */
  function ids() {
    const renamed = new Map();
    for (const element of all('[id]')) {
      const name = `${element.id}-x${element.id.length}`;
      renamed.set(element.id, name);
      element.id = name;
    }
    for (const name of ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'list', 'form']) {
      for (const element of all(`[${name}]`)) {
        const words = element.getAttribute(name).split(/\s+/).map((word) => renamed.get(word) ?? word);
        element.setAttribute(name, words.join(' '));
      }
    }
    for (const element of all('[class]')) element.setAttribute('class', [...element.classList].map((each) => `${each}_q7`).join(' '));
    for (const element of all('[data-testid]')) element.dataset.testid = `t-${element.dataset.testid}`;
    return [];
  }

  /** Put two boxes around each element, and one around the page. */
  function wrapped(marked) {
    for (const element of marked) {
      if (element.closest('tr,select,svg') === element.parentElement || element.matches('option,tr,td,th,li')) continue;
      const inner = document.createElement('div');
      element.replaceWith(inner);
      inner.append(element);
      const outer = document.createElement('div');
      inner.replaceWith(outer);
      outer.append(inner);
    }
    const page = document.createElement('div');
    page.append(...document.body.childNodes);
    document.body.append(page);
    return [];
  }

  /** Move each element to the end of its grandparent. */
  function moved(marked) {
    for (const element of marked) {
      const to = element.parentElement?.parentElement;
      if (to && to !== document.documentElement && !element.matches('option,tr,td,th,li') && !to.matches('table,tbody,thead,tr,select')) {
        to.append(element);
      }
    }
    return [];
  }

  /** Reverse the order of the children of each box that has an element in it. */
  function sorted(marked) {
    const boxes = new Set(marked.flatMap((element) => [element.parentElement, element.parentElement?.parentElement]));
    for (const box of boxes) {
      if (!box || box === document.documentElement || box === document.body.parentElement) continue;
      const children = [...box.children].filter((child) => !child.matches('script,style,legend,caption'));
      for (const child of children.reverse()) box.append(child);
    }
    return [];
  }

  /** Replace words by others that mean the same, else add one. */
  function reworded(marked) {
    for (const element of marked) {
      const labels = element.labels?.length ? [...element.labels] : [element];
      for (const label of labels) rewordTexts(label);
      for (const name of ['aria-label', 'placeholder', 'title', 'alt']) {
        if (element.hasAttribute(name)) element.setAttribute(name, reword(element.getAttribute(name)));
      }
    }
    return [];
  }

  function rewordTexts(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) if (walker.currentNode.data.trim()) texts.push(walker.currentNode);
    for (const text of texts.slice(0, 1)) text.data = reword(text.data);
  }

  function reword(text) {
    const changed = text.replace(/[A-Za-z]+/g, (word) => SYNONYMS[word.toLowerCase()] ?? word);
    return changed === text ? `${text.trimEnd()} now` : changed;
  }

  /** Put an exact copy of each element behind the page. Nothing tells the two apart but their places. */
  function duplicated(marked) {
    const box = document.createElement('div');
    for (const element of marked) {
      const copy = element.cloneNode(true);
      copy.removeAttribute('data-truth');
      for (const each of copy.querySelectorAll('[data-truth]')) each.removeAttribute('data-truth');
      box.append(copy);
    }
    document.body.append(box);
    return [];
  }

  /** Make links of buttons and buttons of links. */
  function roles(marked) {
    for (const element of marked) {
      if (element.matches('button')) element.setAttribute('role', 'link');
      else if (element.matches('a[href]')) element.setAttribute('role', 'button');
    }
    return [];
  }

  /** Take every second element away. */
  function removed(marked) {
    const gone = marked.filter((_, place) => place % 2 === 0);
    for (const element of gone) element.remove();
    return gone;
  }

  /** Take every second element away, and put one in its place that is another with the same words and more. */
  function replaced(marked) {
    const gone = marked.filter((_, place) => place % 2 === 1);
    for (const element of gone) {
      const other = element.cloneNode(true);
      for (const each of [other, ...other.querySelectorAll('*')]) {
        for (const name of ['data-truth', 'id', 'name', 'href', 'data-testid']) each.removeAttribute(name);
      }
      if (element.matches('a[href]')) other.setAttribute('href', '/elsewhere');
      if (element.hasAttribute('aria-label')) other.setAttribute('aria-label', `${element.getAttribute('aria-label')} of all others`);
      else if (element.matches('input,select,textarea')) other.setAttribute('aria-label', 'Second field');
      else other.append(' all others');
      element.replaceWith(other);
    }
    return gone;
  }

  /** Put a new row or item before the first one of each table and list, made of it. */
  function inserted() {
    const firsts = new Set(all('tbody tr, li').map((row) => row.parentElement?.firstElementChild).filter(Boolean));
    for (const first of firsts) {
      if (!first.matches('tr,li')) continue;
      const row = first.cloneNode(true);
      for (const each of [row, ...row.querySelectorAll('*')]) {
        for (const name of ['data-truth', 'id']) each.removeAttribute(name);
        if (each.hasAttribute('href')) each.setAttribute('href', `${each.getAttribute('href')}-new`);
      }
      const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      let isFirst = true;
      while (walker.nextNode()) {
        if (!walker.currentNode.data.trim() || !isFirst) continue;
        walker.currentNode.data = 'Brand new entry';
        isFirst = false;
      }
      first.before(row);
    }
    return [];
  }

  /** Change the attributes that nobody sees: type of buttons, names of fields, order of attributes, addresses' queries. */
  function attributes(marked) {
    for (const element of marked) {
      if (element.hasAttribute('name')) element.setAttribute('name', `f_${element.getAttribute('name')}`);
      if (element.matches('button')) element.setAttribute('type', 'button');
      if (element.matches('a[href]')) element.setAttribute('href', `${element.getAttribute('href').split('?')[0]}?v=2`);
      element.setAttribute('tabindex', '0');
    }
    return [];
  }

  /** A new build: other ids, more boxes, another order. */
  function redesigned(marked) {
    ids();
    wrapped(marked);
    sorted(marked);
    return [];
  }

  /** A release: other ids, other attributes, other words. */
  function released(marked) {
    ids();
    attributes(marked);
    reworded(marked.filter((_, place) => place % 3 === 0));
    return [];
  }

  /** Give each field the label of the next one of its kind, and all ids another form: only words in the marks tell them apart. */
  function relabelled(marked) {
    ids();
    const kinds = Map.groupBy(marked.filter((element) => (element.id || element.name) && labelOf(element)), kindOf);
    for (const fields of kinds.values()) {
      const labels = fields.map(labelOf);
      const words = labels.map((label) => label.data ?? label.value);
      labels.forEach((label, place) => {
        const next = words[(place + 1) % words.length];
        if ('data' in label) label.data = next;
        else label.value = next;
      });
    }
    return [];
  }

  const kindOf = (element) => `${element.localName} ${element.type}`;

  /** Return the node that labels a field alone: an attribute, or a text. */
  function labelOf(element) {
    if (!element.matches('input,select,textarea') || element.matches('[type=submit],[type=button]')) return null;
    if (element.hasAttribute('aria-label')) return element.getAttributeNode('aria-label');
    const texts = element.labels?.length === 1 ? document.createTreeWalker(element.labels[0], NodeFilter.SHOW_TEXT) : null;
    while (texts?.nextNode()) if (texts.currentNode.data.trim()) return texts.currentNode;
    return null;
  }

  return {
    ids, wrapped, moved, sorted, reworded, duplicated, roles, removed, replaced, inserted, attributes, redesigned, released, relabelled,
  };
})();
