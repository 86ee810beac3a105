// A flow editor: press on an output, move, release on an input. Wires are the page's own until they are deployed.
import { api, h, mount, toast } from "/static/app.js";

const WIDTH = 150;
const app = document.getElementById("app");
const { nodes, wires } = await api("/api/flow");
const named = (id) => nodes.find((node) => node.id === id);
const deploy = h("button.primary", { disabled: true, onclick: save }, "Deploy");
const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
const canvas = h("div.canvas", { role: "group", "aria-label": "Flow" }, [svg, nodes.map((node) =>
  h("div.node", { style: `left: ${node.x}px; top: ${node.y}px` }, [
    h("button.port.in", { "data-id": node.id, "aria-label": `Input of ${node.name}` }),
    node.name,
    h("button.port.out", { "aria-label": `Output of ${node.name}`, onpointerdown: (event) => begin(event, node) }),
  ])
)]);
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
  const target = Number(document.elementFromPoint(event.clientX, event.clientY)?.closest(".port.in")?.dataset.id);
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
