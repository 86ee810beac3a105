// Reports what a person does in the window of a handoff, step by step: for `flow-save`. Runs in our isolated world, behind the engine: the page sees
// neither the listeners nor the reports. Only what Chromium made of a person's input counts (`isTrusted`).
(() => {
  if (globalThis.__gbrowseFollows) return;
  globalThis.__gbrowseFollows = true;
  const MOST = 100_000; // characters of a report: no step that is kept has more
  const OPERABLE = 'a[href],button,summary,input,select,textarea,option,'
    + 'button link menuitem menuitemcheckbox menuitemradio option tab treeitem switch checkbox radio gridcell combobox slider'
      .split(' ').map((role) => `[role=${role}]`).join();
  const BUTTONS = /^(button|submit|reset|image)$/;
  const CHOICES = /^(checkbox|radio)$/;
  const { closest, matches } = Element.prototype;
  const tag = (element) => element.localName;

  const describe = (element) => {
    const id = __gbrowse.idOf(element);
    const told = __gbrowse.identity(id, true);
    return told.complete ? told : Object.assign(told, __gbrowse.identityAfter(id));
  };
  const report = (kind, element, ...values) => {
    try {
      const text = JSON.stringify([kind, describe(element), ...values]);
      if (text.length <= MOST) globalThis.__gbrowsePerson(text);
    } catch { /* an element that cannot be described is in no step */ }
  };

  let typed; // the field that was typed into, and is not reported yet
  const flush = () => {
    const field = typed;
    typed = undefined;
    if (field) report('fill', field, field.value ?? field.innerText);
  };
  const isTextField = (element) =>
    tag(element) === 'textarea' || element.isContentEditable
    || (tag(element) === 'input' && !BUTTONS.test(element.type) && !CHOICES.test(element.type)
      && element.type !== 'file');
  /** The element at which an event began: of text that can be edited, all of it. */
  const origin = (event) => {
    const node = event.composedPath()[0];
    let element = node instanceof Element ? node : null;
    while (element?.isContentEditable && element.parentElement?.isContentEditable) element = element.parentElement;
    return element;
  };

  const on = (type, handle) =>
    addEventListener(type, (event) => {
      const element = event.isTrusted ? origin(event) : null;
      if (element) handle(element, event);
    }, { capture: true, passive: true });

  on('input', (element) => {
    if (typed && typed !== element) flush();
    if (isTextField(element)) typed = element;
  });
  on('focusout', (element) => {
    if (element === typed && element.isContentEditable) flush();
  });
  on('change', (element) => {
    if (tag(element) === 'select') {
      report('select', element, ...[...element.selectedOptions].map((option) => option.label));
    } else if (CHOICES.test(element.type)) report(element.checked ? 'check' : 'uncheck', element);
    else if (element.type === 'file') report('upload', element);
    else if (element === typed) flush();
  });

  let isSubmitting = false; // Enter in a field: Chromium clicks on the form's button then
  on('keydown', (element, event) => {
    if (event.key !== 'Enter' || event.isComposing || tag(element) !== 'input' || !isTextField(element)) return;
    flush();
    report('enter', element);
    isSubmitting = true;
  });
  on('keyup', () => isSubmitting = false);

  const clicked = (element) => {
    const label = closest.call(element, 'label');
    const operable = closest.call(element, OPERABLE);
    if (label?.control && !(operable && label.contains(operable))) return null; // the field is clicked next
    const target = operable ?? element;
    const isField = isTextField(target)
      || matches.call(target, 'select,option,input[type=checkbox],input[type=radio],input[type=file]');
    return isField || matches.call(target, 'html,body') ? null : target;
  };
  for (const [type, kind] of [['click', 'click'], ['dblclick', 'double']]) {
    on(type, (element, event) => {
      const target = isSubmitting && event.detail === 0 ? null : clicked(element);
      if (!target) return;
      flush();
      report(kind, target);
    });
  }
  addEventListener('pagehide', flush, { capture: true });
})();
