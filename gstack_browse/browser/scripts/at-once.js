// Input without waiting: where one look proves that an action will reach its element, it is made ready in the same turn
// and dispatched at once. A guard in the isolated world blocks a press that would reach anything else, so that a miss
// does nothing at all.

{
  /** The press that is under way: what it may hit, and what became of it. */
  let armed = null;

  const PRESSES = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu"];

  /** Milliseconds after which a press that never came is no longer waited for: the next one is somebody else's. */
  const ARMED_FOR = 5000;

  /** What can be made ready. Each answers null when waiting is needed, and has then changed nothing. */
  const preparations = { press, point, text, options };

  exported.prepare = (what, element, look, ...words) => preparations[what](element, look, ...words);

  /** Where to press for a click on the element, after putting a guard on what the press may reach. */
  function press(element, look) {
    const at = place(element, look);
    if (!at || look.disabled) return null;
    input = afterInput("pointerup");
    guard(element);
    return at;
  }

  exported.guard = (id) => {
    const element = nodeFor(id);
    disarm();
    input = Promise.resolve();
    if (element) guard(element);
  };

  /** From now on a press that would reach anything but the element is blocked. */
  function guard(element) {
    armed = { element, verdict: "", at: performance.now() };
    for (const type of PRESSES) window.addEventListener(type, judge, { capture: true });
  }

  /** Where to point at the element. */
  function point(element, look) {
    const at = place(element, look);
    if (at) input = afterInput("pointermove");
    return at;
  }

  /** Where the element can be reached: null when it is hidden, covered, animated, out of view, in a frame or behind a label. */
  function place(element, look) {
    disarm();
    if (window !== window.top || !look.visible || look.cover || look.label || !look.inView || look.selectId) return null;
    return isMoving(shownBy(element)) ? null : look.point;
  }

  /** Whether an animation or a transition is running on the element or on anything that carries it. */
  function isMoving(element) {
    const running = document.getAnimations().filter((animation) => animation.playState === "running");
    if (!running.length) return false;
    const carriers = new Set([element, ...ancestorsOf(element)]);
    return running.some((animation) => animation.effect && carriers.has(animation.effect.target));
  }

  function judge(event) {
    if (!armed || !event.isTrusted) return;
    if (performance.now() - armed.at > ARMED_FOR) {
      disarm();
      return;
    }
    if (!armed.verdict) {
      armed.verdict = isPressOn(armed.element, event) ? "hit" : "missed";
    }
    if (armed.verdict === "missed") {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }

  /** Whether an event of the pointer is on its way to the element; a closed root keeps quiet about where in it that is. */
  function isPressOn(element, event) {
    const path = event.composedPath();
    if (path.includes(element) || reaches(element, path[0])) return true;
    const hit = shadowsMet ? hitAt(event.clientX, event.clientY) : null;
    return hit !== null && reaches(element, hit);
  }

  /**
   * What the press reached, once it was made: "hit", "missed" (and blocked), or "" when it has not come. Null when the
   * window is about to close, which is to be waited for.
   */
  exported.pressed = async () => {
    await input;
    const verdict = disarm();
    return window.closed ? null : verdict;
  };

  /** Takes the guard away, and tells what the press reached. */
  function disarm() {
    if (!armed) return "";
    for (const type of PRESSES) window.removeEventListener(type, judge, { capture: true });
    const { verdict } = armed;
    armed = null;
    return verdict;
  }

  /** Milliseconds after which input that the page did not hear of is looked for all the same. */
  const HEARD_WITHIN = 100;

  /**
   * Resolves in the turn after the one after the next event of that type, or when there was none in time: what the events
   * that follow it put off until the next turn, as a form its submission, has begun by then.
   */
  function afterInput(type) {
    return new Promise((done) => {
      const end = () => {
        window.removeEventListener(type, heard, { capture: true });
        done();
      };
      const heard = (event) => event.isTrusted && setTimeout(() => setTimeout(end, 0), 0);
      window.addEventListener(type, heard, { capture: true });
      setTimeout(end, HEARD_WITHIN);
    });
  }

  /** The input that is on its way, listened for from the moment its element is ready. */
  let input = Promise.resolve();

  /** What the field holds, as `value` tells it, once text was inserted. */
  exported.filled = async (id) => {
    await input;
    return exported.value(id);
  };

  /** Whether the pointer, once it was moved, is over the element, or over what stands for it. */
  exported.isPointedAt = async (id) => {
    await input;
    const element = nodeFor(id);
    return Boolean(element) && matches(element, ":hover");
  };

  /**
   * What a text field holds (as `value` tells it), after focusing it with all of that selected, ready for text to be
   * inserted in its place; `focused` is false where the page moves the focus elsewhere. Null for what is no such field,
   * or would not take `value`.
   */
  function text(element, look, value) {
    if (window !== window.top || !look.visible || look.disabled || look.readonly || look.blocker) return null;
    if (look.fill !== "text" || (element.type === "number" && value && !exported.parsed(idOf(element), value))) return null;
    const before = exported.value(idOf(element));
    element.focus();
    const focused = rootOf(element).activeElement === element;
    if (focused) {
      element.select();
      input = value || before.value ? afterInput("input") : Promise.resolve();
    }
    return { before, focused };
  }

  /** The options of a list that can be chosen from now. */
  function options(element, look) {
    return look.visible && !look.disabled && !look.blocker && !exported.isTucked(element) ? exported.options(idOf(element)) : null;
  }
}
