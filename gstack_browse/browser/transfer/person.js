// Reports what a person does in the window of a handoff, step by step: for `flow-save`. Runs in our isolated world, behind the engine: the
// page sees neither the listeners nor the reports. Only what Chromium made of a person's input counts (`isTrusted`).
(() => {
  if (globalThis.__gbrowseFollows) return;
  globalThis.__gbrowseFollows = true;
  const MAX_REPORT = 100_000; // characters
  const OPERABLE = 'a[href],button,summary,input,select,textarea,option,'
    + 'button link menuitem menuitemcheckbox menuitemradio option tab treeitem switch checkbox radio gridcell combobox slider'
      .split(' ').map((role) => `[role=${role}]`).join();
  const BUTTONS = /^(button|submit|reset|image)$/;
  const CHOICES = /^(checkbox|radio)$/;
  const { closest, matches } = Element.prototype;
  /** Return an element's tag name in lower case. */
  const tag = (element) => element.localName;

  /** Describe an element so that it is found again: its id, and its selectors and text (selectors/identity.js). */
  const describe = (element) => {
    const id = __gbrowse.idOf(element);
    const identity = __gbrowse.identifyElement(id, true);
    return identity.complete ? identity : Object.assign(identity, __gbrowse.completeIdentity(id));
  };
  /** Report a person's action to `PersonRecorder`. `kind`: click, fill …; `values`: the text, or the chosen labels. */
  const report = (kind, element, ...values) => {
    try {
      const text = JSON.stringify([kind, describe(element), ...values]);
      if (text.length <= MAX_REPORT) globalThis.__gbrowsePerson(text);
    } catch { /* an element that cannot be described is in no step */ }
  };

  let typed; // the field that was typed into, and is not reported yet
  /** Report the text of the field that was typed into last, if that is not done yet. */
  const reportTyped = () => {
    const field = typed;
    typed = undefined;
    if (field) report('fill', field, field.value ?? field.innerText);
  };
  /** Return whether an element is a field or editor that takes text. */
  const isTextField = (element) =>
    tag(element) === 'textarea' || element.isContentEditable
    || (tag(element) === 'input' && !BUTTONS.test(element.type) && !CHOICES.test(element.type)
      && element.type !== 'file');
  /** Return the element that an event is for (inside an editor: the editor); null if it is for none. */
  const targetOf = (event) => {
    const node = event.composedPath()[0];
    let element = node instanceof Element ? node : null;
    while (element?.isContentEditable && element.parentElement?.isContentEditable) element = element.parentElement;
    return element;
  };

  /** Listen to events of a type: call `handle(element, event)` for each that a person has caused. */
  const on = (type, handle) =>
    addEventListener(type, (event) => {
      const element = event.isTrusted ? targetOf(event) : null;
      if (element) handle(element, event);
    }, { capture: true, passive: true });

  on('input', (element) => {
    if (typed && typed !== element) reportTyped();
    if (isTextField(element)) typed = element;
  });
  on('focusout', (element) => {
    if (element === typed && element.isContentEditable) reportTyped();
  });
  on('change', (element) => {
    if (tag(element) === 'select') {
      report('select', element, ...[...element.selectedOptions].map((option) => option.label));
    } else if (CHOICES.test(element.type)) report(element.checked ? 'check' : 'uncheck', element);
    else if (element.type === 'file') report('upload', element);
    else if (element === typed) reportTyped();
  });

  let isSubmitting = false; // between Enter in a field and its release, when Chromium clicks the form's button
  on('keydown', (element, event) => {
    if (event.key !== 'Enter' || event.isComposing || tag(element) !== 'input' || !isTextField(element)) return;
    reportTyped();
    report('enter', element);
    isSubmitting = true;
  });
  on('keyup', () => isSubmitting = false);

  /** Return the element to record as clicked; null for a field, as its change is reported, and for the page itself. */
  const clickTarget = (element) => {
    const label = closest.call(element, 'label');
    const operable = closest.call(element, OPERABLE);
    if (label?.control && !(operable && label.contains(operable))) return null; // the label's field gets a click of its own
    const target = operable ?? element;
    const isField = isTextField(target)
      || matches.call(target, 'select,option,input[type=checkbox],input[type=radio],input[type=file]');
    return isField || matches.call(target, 'html,body') ? null : target;
  };
  for (const [type, kind] of [['click', 'click'], ['dblclick', 'double']]) {
    on(type, (element, event) => {
      const target = isSubmitting && event.detail === 0 ? null : clickTarget(element);
      if (!target) return;
      reportTyped();
      report(kind, target);
    });
  }
  addEventListener('pagehide', reportTyped, { capture: true });
})();
