// Folders in a tree; a right click, or the button that comes up under the pointer, opens a menu with a menu in it.
import { api, app, h, mount, toast } from "/static/app.js";

const COLORS = ["Red", "Green", "Blue", "Yellow"];
const open = new Set();
let folders = await api("/api/folders");

function node(folder, level) {
  const children = folders.filter((each) => each.parent === folder.id);
  const isOpen = open.has(folder.id);
  const menuButton = h("button", { "aria-label": `Menu of ${folder.name}`, "aria-haspopup": "menu", style: "visibility: hidden", onclick: (event) => menu(event.currentTarget, folder) }, "⋯");
  const toggle = (event) => {
    event.stopPropagation();
    isOpen ? open.delete(folder.id) : open.add(folder.id);
    draw();
  };
  const line = h("div.row", {
    style: "margin: 0",
    onmouseenter: () => menuButton.style.visibility = "visible",
    oncontextmenu: (event) => { event.preventDefault(); menu(line, folder); },
  }, [
    children.length ? h("button", { "aria-label": `${isOpen ? "Close" : "Open"} ${folder.name}`, onclick: toggle }, isOpen ? "▾" : "▸") : null,
    h("span", folder.name), h("span.badge", folder.color), menuButton,
  ]);
  return h("li", { role: "treeitem", "aria-level": String(level), "aria-label": folder.name, "aria-expanded": children.length ? String(isOpen) : null }, [
    line,
    isOpen ? h("ul", { role: "group" }, children.map((child) => node(child, level + 1))) : null,
  ]);
}

function menu(place, folder) {
  document.querySelector("[role=menu]")?.remove();
  const colors = h("div.card", { role: "menu", "aria-label": "Colors", hidden: true }, COLORS.map((color) =>
    h("button", {
      role: "menuitem",
      onclick: async () => {
        await api(`/api/folders/${folder.id}/color`, { color: color.toLowerCase() });
        folders = await api("/api/folders");
        toast(`${folder.name} is ${color.toLowerCase()}`);
        draw();
      },
    }, color)));
  const entry = h("button", { role: "menuitem", "aria-haspopup": "menu", onmouseenter: () => colors.hidden = false, onclick: () => colors.hidden = false }, "Color");
  const list = h("div.card", { role: "menu", "aria-label": `Menu of ${folder.name}` }, [h("button", { role: "menuitem", onclick: () => list.remove() }, "Open"), entry, colors]);
  place.after(list);
}

function draw() {
  mount(app, h("h1", "Folders"), h("ul", { role: "tree", "aria-label": "Folders" }, folders.filter((folder) => !folder.parent).map((folder) => node(folder, 1))));
}

draw();
