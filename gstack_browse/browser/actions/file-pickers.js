/*
 * Replaces the pickers of the File System Access API in the page's own world while `upload` presses. Returns null if the page has none.
 *
 * A replaced picker returns handles of files that `upload` drops on a frame made for that: genuine handles, with the rights of files that
 * a person has dropped. Without a user gesture the browser's own picker is called.
 */
(() => {
  const KINDS = { showOpenFilePicker: 'file', showDirectoryPicker: 'folder', showSaveFilePicker: 'save' };
  /** Set inline styles that the page's style sheets cannot override. `style`: property → value. */
  const setStyles = (element, style) => {
    for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value, 'important');
  };
  const undo = [];
  let reportCall, pending, frame;
  const pickerCall = new Promise((resolve) => reportCall = resolve);

  const views = [window];
  try {
    if (top !== window && top.document) views.push(top);
  } catch { /* a frame of another site, whose pickers Chromium refuses */ }
  for (const view of views) {
    for (const [name, kind] of Object.entries(KINDS)) {
      const native = Object.getOwnPropertyDescriptor(view, name);
      if (!native?.configurable || typeof native.value !== 'function') continue;
      const own = {
        [name](...options) {
          const isOurs = view.navigator.userActivation.isActive && !pending;
          if (isOurs) reportCall({ kind, multiple: Boolean(options[0]?.multiple) });
          if (!isOurs || kind === 'save') return native.value.apply(view, options);
          return new view.Promise((resolve, reject) => pending = { view, kind, resolve, reject });
        },
      };
      Object.defineProperty(view, name, { ...native, value: own[name] });
      undo.push(() => Object.defineProperty(view, name, native));
    }
  }
  if (!undo.length) return null;

  return {
    pickerCall,

    /**
     * Cover the window with a frame that takes a drop of files. Return its middle [x, y]. The promise `handlesPassed` is fulfilled once
     * the page has the handles of the files, with their number.
     */
    makeDropFrame() {
      const page = pending.view.top.document;
      frame = page.createElement('iframe');
      frame.popover = 'manual';
      setStyles(frame, {
        all: 'initial',
        position: 'fixed',
        inset: '0',
        width: '100vw',
        height: '100vh',
        opacity: '0',
      });
      const modal = [...page.querySelectorAll('dialog:modal')].at(-1); // a drop cannot hit anything outside of it
      (modal ?? page.documentElement).append(frame);
      frame.showPopover();
      const inside = frame.contentWindow;
      for (const type of ['dragenter', 'dragover']) inside.addEventListener(type, (event) => event.preventDefault());
      this.handlesPassed = new Promise((resolve) => {
        inside.addEventListener('drop', async (event) => {
          event.preventDefault();
          const handles = await Promise.all([...event.dataTransfer.items].map((item) => item.getAsFileSystemHandle()));
          const { port1, port2 } = new pending.view.MessageChannel(); // clones the handles into the caller's realm
          port1.onmessage = ({ data }) => {
            pending.resolve(pending.kind === 'folder' ? data[0] : data);
            port1.close();
            resolve(data.length);
          };
          port2.postMessage(handles);
        });
      });
      const { width, height } = frame.getBoundingClientRect();
      return [width / 2, height / 2];
    },

    /** Restore the browser's own pickers. A pending call of the page fails as if a person had cancelled it. */
    end() {
      for (const putBack of undo) putBack();
      frame?.remove();
      pending?.reject(new pending.view.DOMException('The user aborted a request.', 'AbortError'));
    },
  };
});
