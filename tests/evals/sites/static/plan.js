// Steps that a script moves with the pointer, as libraries for sorting do: press, move some pixels, release.
import { api, app, h, mount, toast } from "/static/app.js";

let steps = await api("/api/steps");
let held;

function draw() {
  mount(app, h("h1", "Plan"), h("ol", { "aria-label": "Steps" }, steps.map((step) =>
    h("li.card", { "data-id": step.id, style: "margin: 8px 0; touch-action: none" }, [
      h("button", { "aria-label": `Move ${step.name}`, style: "cursor: grab", onpointerdown: (event) => begin(event, step) }, "⠿"), " ", step.name,
    ])
  )));
}

function begin(event, step) {
  held = { step, from: event.clientY, moved: false };
  event.preventDefault();
}

addEventListener("pointermove", (event) => {
  if (!held || (!held.moved && Math.abs(event.clientY - held.from) < 6)) return;
  held.moved = true;
  const below = [...app.querySelectorAll("li")].find((item) => {
    const box = item.getBoundingClientRect();
    return event.clientY >= box.top && event.clientY < box.bottom;
  });
  if (!below || Number(below.dataset.id) === held.step.id) return;
  const place = steps.findIndex((step) => step.id === Number(below.dataset.id));
  steps = steps.filter((step) => step.id !== held.step.id);
  steps.splice(place, 0, held.step);
  draw();
});

addEventListener("pointerup", async () => {
  if (!held) return;
  const { moved } = held;
  held = undefined;
  if (!moved) return;
  await api("/api/steps", { order: steps.map((step) => step.id) });
  toast("The plan was saved");
});

draw();
