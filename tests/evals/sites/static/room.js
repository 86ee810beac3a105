// A room: its name, and its notes in a frame.
import { h, mount } from "/static/app.js";

const room = location.pathname.split("/")[2];
mount(
  document.getElementById("app"),
  h("h2", `Room ${room}`),
  h("iframe", { src: `/rooms/${room}/notes`, title: `Notes of room ${room}`, width: "400", height: "300" }),
);
