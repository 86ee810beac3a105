// A flow editor: press on an output, move, release on an input. Wires are the page's own until they are deployed.
import { api, app, h, mount, toast } from "/static/app.js";

const WIDTH = 150;
const { nodes, wires } = await api("/api/flow");
const named = (id) => nodes.find((node) => node.id === id);
const deploy = h("button.primary", { disabled: true, onclick: save }, "Deploy");
const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
svg.setAttribute("style", "position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; fill: none; stroke: #5c6b7a; stroke-width: 3");
const port = (side) => `position: absolute; top: 11px; ${side}: -7px; width: 12px; height: 12px; padding: 0; touch-action: none`;
const canvas = h("div", { role: "group", "aria-label": "Flow", style: "position: relative; width: 1000px; height: 440px; background: #fff" }, [
  svg,
  nodes.map((node) =>
    h("div", { style: `position: absolute; left: ${node.x}px; top: ${node.y}px; width: ${WIDTH}px; padding: 6px 14px; background: #e6ecf5` }, [
      h("button", { "data-id": node.id, "aria-label": `Input of ${node.name}`, style: port("left") }),
      node.name,
      h("button", { "aria-label": `Output of ${node.name}`, style: port("right"), onpointerdown: (event) => begin(event, node) }),
    ])
  ),
]);
let source;

function path(from, to) {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", `M${from.x},${from.y} C${from.x + 60},${from.y} ${to.x - 60},${to.y} ${to.x},${to.y}`);
  return line;
}

function draw(loose) {
  const end = (node, side) => ({ x: node.x + side * WIDTH, y: node.y + 18 });
  svg.replaceChildren(...wires.map((wire) => path(end(named(wire.source), 1), end(named(wire.target), 0))));
  if (loose) svg.append(path(end(source, 1), loose));
}

function begin(event, node) {
  source = node;
  event.preventDefault();
}

addEventListener("pointermove", (event) => {
  if (!source) return;
  const box = canvas.getBoundingClientRect();
  draw({ x: event.clientX - box.left, y: event.clientY - box.top });
});

addEventListener("pointerup", (event) => {
  if (!source) return;
  const target = Number(document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-id]")?.dataset.id);
  const is = (wire) => wire.source === source.id && wire.target === target;
  if (target && target !== source.id && !wires.some(is)) {
    wires.push({ source: source.id, target });
    deploy.disabled = false;
    toast(`${source.name} leads to ${named(target).name}`);
  }
  source = undefined;
  draw();
});

async function save() {
  await api("/api/flow", { wires });
  deploy.disabled = true;
  toast("The flow is deployed");
}

mount(app, h("div.row", [h("h1", "Flow"), deploy]), canvas);
draw();
