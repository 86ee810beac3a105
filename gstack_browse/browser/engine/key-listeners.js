// Whether the page listens for keys where its focus is, or for anything else that comes of a key alone: evaluated in the page's world, which alone is
// told of its listeners, with the functions of a console, and with `throwOnSideEffect`, so that nothing of the page can run that does more than
// compute.
//
// Reads nothing that a page can put another thing in the place of, but those functions: then it ends with an error, or is told what the page
// wants to be told. A block, because a function would be made anew by V8 each time, and what is declared outside of one would be the page's.
{
  const focused = $$(':focus');
  const path = $x('ancestor-or-self::node()', focused[0]);
  let hears = focused.length !== 1;
  for (let at = -1; at < path.length && !hears; at++) {
    const heard = getEventListeners(at < 0 ? window : path[at]);
    hears = 'keydown' in heard || 'keypress' in heard || 'keyup' in heard || 'beforeinput' in heard
      || 'textInput' in heard;
  }
  hears;
}
