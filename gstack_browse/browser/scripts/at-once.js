// Input without waiting: where one look proves that an action will reach its element, it is dispatched at once. A guard
// in the isolated world blocks a press that would reach anything else, so that a miss does nothing at all.

{
  /** The press that is under way: what it may hit, and what became of it. */
  let armed = null;

  const PRESSES = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu"];

  /**
   * Where to press for a click on the element, after putting a guard on what the press may reach. Null when waiting
   * is needed: hidden, disabled, covered, animated, outside of the viewport, in a frame, or hit through a label.
   */
  exported.arm = (id) => {
    exported.disarm();
    const element = nodeFor(id);
    if (!element || window !== window.top) return null;
    const look = exported.probe(id, true);
    if (look.gone || !look.visible || look.disabled || look.cover || look.label || !look.inView || look.selectId) return null;
    if (isMoving(element)) return null;
    const around = closest(element, "label");
    armed = { allowed: [element, ...labelsOf(element), ...(around ? [around] : [])], verdict: "" };
    for (const type of PRESSES) window.addEventListener(type, judge, { capture: true });
    return look.point;
  };

  /** Whether an animation or a transition is running on the element or on anything that carries it. */
  function isMoving(element) {
    const running = document.getAnimations().filter((animation) => animation.playState === "running");
    if (!running.length) return false;
    const carriers = new Set([element, ...ancestorsOf(element)]);
    return running.some((animation) => animation.effect && carriers.has(animation.effect.target));
  }

  function judge(event) {
    if (!armed || !event.isTrusted) return;
    if (!armed.verdict) {
      const path = event.composedPath();
      armed.verdict = armed.allowed.some((element) => path.includes(element)) ? "hit" : "missed";
    }
    if (armed.verdict === "missed") {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }

  /** What the press reached: "hit", "missed" (and blocked), or "" when it has not come. Takes the guard away. */
  exported.disarm = () => {
    for (const type of PRESSES) window.removeEventListener(type, judge, { capture: true });
    const verdict = armed ? armed.verdict : "";
    armed = null;
    return verdict;
  };

  /** Focus a text field with all of its content selected, ready for text to be inserted in its place. */
  exported.startFilling = (id) => {
    const element = nodeFor(id);
    if (!element || window !== window.top) return false;
    element.focus();
    if (rootOf(element).activeElement !== element) return false;
    if (localNameOf(element) !== "textarea" && localNameOf(element) !== "input") return false;
    element.select();
    return true;
  };
}
