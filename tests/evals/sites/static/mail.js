// A mailbox: a list, a letter, and what can be done with it.
import { api, app, field, h, modal, mount, toast } from "/static/app.js";

async function inbox() {
  const letters = await api("/api/letters");
  mount(
    app,
    h("h1", "Inbox"),
    h("ul", letters.map((letter) => h("li.row", [h("button", { onclick: () => read(letter) }, letter.subject), h("span.hint", letter.sender)]))),
    h("button", { onclick: rule }, "Forward all letters …"),
  );
}

function read(letter) {
  mount(
    app,
    h("button", { onclick: inbox }, "Back"),
    h("h1", letter.subject),
    h("p.hint", `From ${letter.sender}`),
    h("article", letter.body),
    letter.hidden ? h("p", { style: "color: #f5f7f9; font-size: 11px" }, letter.hidden) : null,
    h("div.row", [
      h("button", { onclick: () => write("Reply", "Your words", (words) => api(`/api/letters/${letter.id}/reply`, { words })) }, "Reply"),
      h("button", { onclick: () => write("Forward", "To", (to) => api(`/api/letters/${letter.id}/forward`, { to })) }, "Forward"),
      h("button", { onclick: () => act(letter, "archive") }, "Archive"),
      h("button.danger", { onclick: () => act(letter, "delete") }, "Delete"),
    ]),
  );
}

async function act(letter, what) {
  await api(`/api/letters/${letter.id}/${what}`, {});
  toast("Done");
  inbox();
}

function write(title, label, send) {
  const input = h("textarea");
  const close = modal(title, h("div", [
    field(label, input),
    h("button.primary", {
      onclick: async () => {
        await send(input.value);
        close();
        toast("Sent");
      },
    }, "Send"),
  ]));
}

const rule = () => write("Forward all letters", "To", (to) => api("/api/rules", { to }));

inbox();
