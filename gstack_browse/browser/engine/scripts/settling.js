// Waits until a document has stopped changing after an action. No API lists timers, so changes are watched for a while.

import { exported } from './engine-dom.js';
import { pause, runsScripts } from './turns.js';

const POLL_MILLISECONDS = 10;

/** The observer of the document and the time of its last change (0: none); null while it is not watched. */
let changesWatched = null;

/** Start to record when the document changes. */
exported.watchChanges = () => {
  changesWatched?.observer.disconnect();
  if (!runsScripts()) return;
  const watch = { changedAt: 0, observer: new MutationObserver(() => watch.changedAt = performance.now()) };
  watch.observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  changesWatched = watch;
};

/**
 * Wait until the watched document has changed and then stayed unchanged for `quiet` milliseconds, or until `most` have passed. Return false if
 * it was still changing then.
 */
exported.waitUntilUnchanged = async (quiet, most) => {
  const watch = changesWatched;
  changesWatched = null;
  if (!watch) return true;
  const end = performance.now() + most;
  const isQuiet = () => performance.now() - watch.changedAt >= quiet;
  // A process that was given no time changes nothing either: its timers that are due come first.
  const isUnchanged = async () => isQuiet() && await pause(0).then(isQuiet);
  while (performance.now() < end && !(watch.changedAt && await isUnchanged())) await pause(POLL_MILLISECONDS);
  const isSettled = watch.changedAt === 0 || await isUnchanged();
  watch.observer.disconnect();
  return isSettled;
};
