// Whether the page listens for keys at its focus, or for other events that only a key causes. Evaluated in the page's world with the
// functions of the console's command line API (`$$`, `$x`, `getEventListeners`) and with `throwOnSideEffect`, so that code of the page can
// only compute. A page may replace these functions: then this throws, or gets what the page returns. A block, since V8 would compile a
// function each time, and names declared outside of one would be visible to the page.
{
  const focused = $$(':focus');
  const path = $x('ancestor-or-self::node()', focused[0]);
  let listens = focused.length !== 1;
  for (let at = -1; at < path.length && !listens; at++) {
    const listeners = getEventListeners(at < 0 ? window : path[at]);
    // no function is called for each type: Chromium watches calls for side effects, which took as long as all the rest
    listens = 'keydown' in listeners || 'keypress' in listeners || 'keyup' in listeners || 'beforeinput' in listeners
      || 'textInput' in listeners;
  }
  listens;
}
