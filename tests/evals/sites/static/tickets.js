// A list that is drawn anew every few moments, in another order: as pages do that poll and keep no elements.
import { api, app, h, mount, toast } from "/static/app.js";

const list = h("ul", { "aria-label": "Open tickets" });
mount(app, h("h1", "Tickets"), h("p.hint", "Live"), list);
let turn = 0;

async function draw() {
  const open = (await api("/api/tickets")).filter((ticket) => ticket.state === "open");
  turn += 1;
  const shift = turn % Math.max(open.length, 1);
  mount(list, [...open.slice(shift), ...open.slice(0, shift)].map((ticket) =>
    h("li.row", [
      h("strong", ticket.title), h("span", ticket.person), h("span.badge", ticket.priority),
      h("button", { onclick: () => close(ticket) }, "Close"),
    ])
  ));
}

async function close(ticket) {
  await api(`/api/tickets/${ticket.id}/close`, {});
  toast(`${ticket.title} is closed`);
  draw();
}

draw();
setInterval(draw, 1500);
