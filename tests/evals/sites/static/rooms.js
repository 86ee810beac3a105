// Two rooms side by side, each a frame that has a frame.
import { app, h, mount } from "/static/app.js";

mount(
  app,
  h("h1", "Rooms"),
  h("div.row", ["north", "south"].map((room) => h("iframe", { src: `/rooms/${room}`, title: `Room ${room}`, width: "480", height: "420" }))),
);
