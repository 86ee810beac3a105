// A file manager: rows are chosen with a box; a toolbar acts on the chosen one.
import { api, app, h, modal, mount, toast } from "/static/app.js";

let folder = { id: 0, name: "Drive" };
let chosen;

async function draw() {
  const entries = await api(`/api/entries?folder=${folder.id}`);
  chosen = undefined;
  const tools = [h("button", { onclick: () => rename() }, "Rename"), h("button", { onclick: () => move() }, "Move …")];
  const enable = () => tools.forEach((tool) => tool.disabled = !chosen);
  const row = (entry) => {
    const name = h("td", entry.is_folder
      ? h("button", { onclick: () => open(entry) }, entry.name)
      : h("span", entry.name));
    const box = h("input", {
      type: "checkbox", "aria-label": `Choose ${entry.name}`,
      onchange: () => {
        for (const other of app.querySelectorAll("input[type=checkbox]")) other.checked &&= other === box;
        chosen = box.checked ? { entry, name } : undefined;
        enable();
      },
    });
    return h("tr", [h("td", box), name, h("td", entry.is_folder ? "Folder" : "File")]);
  };
  enable();
  mount(
    app,
    h("nav.row", { "aria-label": "Path" }, [
      h("button", { disabled: folder.id === 0, onclick: () => open({ id: 0, name: "Drive" }) }, "Up"), h("strong", folder.name),
    ]),
    h("div.row", { role: "toolbar", "aria-label": "Chosen file" }, tools),
    h("table", { "aria-label": folder.name }, [
      h("thead", h("tr", ["", "Name", "Kind"].map((head) => h("th", { scope: "col" }, head)))), h("tbody", entries.map(row)),
    ]),
  );
}

function open(entry) {
  folder = entry;
  draw();
}

function rename() {
  const { entry, name } = chosen;
  const input = h("input", { "aria-label": `New name of ${entry.name}`, value: entry.name });
  input.addEventListener("keydown", async (event) => {
    if (event.key === "Escape") draw();
    if (event.key !== "Enter") return;
    await api(`/api/entries/${entry.id}`, { name: input.value });
    await draw();
    toast(`It is called ${input.value}`);
  });
  mount(name, input);
  input.select();
}

async function move() {
  const { entry } = chosen;
  const folders = (await api("/api/entries?folder=0")).filter((each) => each.is_folder && each.id !== entry.id);
  let to;
  const go = h("button.primary", { disabled: true, onclick: async () => {
    await api(`/api/entries/${entry.id}`, { folder: to.id });
    close();
    await draw();
    toast(`${entry.name} is in ${to.name}`);
  } }, "Move here");
  const close = modal(`Move ${entry.name}`, h("div", [
    h("fieldset", { "aria-label": "Folders" }, folders.map((each) =>
      h("label", { style: "display: block" }, [h("input", { type: "radio", name: "folder", onchange: () => { to = each; go.disabled = false; } }), " ", each.name]))),
    go,
  ]));
}

draw();
