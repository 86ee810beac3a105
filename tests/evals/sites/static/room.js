// A room: its name, and its notes in a frame.
import { app, h, mount } from "/static/app.js";

const room = location.pathname.split("/")[2];
mount(
  app,
  h("h2", `Room ${room}`),
  h("iframe", { src: `/rooms/${room}/notes`, title: `Notes of room ${room}`, width: "400", height: "300" }),
);
