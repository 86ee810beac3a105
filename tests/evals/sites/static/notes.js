// The notes of a room.
import { api, app, field, h, mount } from "/static/app.js";

const room = location.pathname.split("/")[2];
const list = h("ul");
const words = h("input");
const show = async () => mount(list, (await api(`/api/rooms/${room}/notes`)).map((note) => h("li", note.words)));
mount(
  app,
  list,
  field("New note", words),
  h("button", {
    onclick: async () => {
      await api(`/api/rooms/${room}/notes`, { words: words.value });
      words.value = "";
      show();
    },
  }, "Add note"),
);
show();
