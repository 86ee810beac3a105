// Whether a document has come to rest after an action. What a timer of the page does soon after it is waited for: nobody can list timers.

import { exported } from './engine-dom.js';
import { pause, runsScripts } from './turns.js';

/** Milliseconds between two looks. */
const REST_LOOK_MILLISECONDS = 10;

/** Changes since an action began, or null. */
let changesWatched = null;

/** Note from now on when the document changes. */
exported.watchChanges = () => {
  changesWatched?.observer.disconnect();
  if (!runsScripts()) return;
  const watch = { changedAt: 0, observer: new MutationObserver(() => watch.changedAt = performance.now()) };
  watch.observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  changesWatched = watch;
};

/**
 * Wait until the watched document has changed and been quiet for so many milliseconds since, or `most` have passed. False where it still
 * changes then.
 */
exported.cameToRest = async (quiet, most) => {
  const watch = changesWatched;
  changesWatched = null;
  if (!watch) return true;
  const end = performance.now() + most;
  const isQuiet = () => performance.now() - watch.changedAt >= quiet;
  while (performance.now() < end && !(watch.changedAt && isQuiet())) await pause(REST_LOOK_MILLISECONDS);
  watch.observer.disconnect();
  return watch.changedAt === 0 || isQuiet();
};
