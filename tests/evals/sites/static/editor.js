// A rich text editor made of an element that can be edited, a toolbar, and tags that are typed and become chips.
import { api, app, field, h, mount, toast } from "/static/app.js";

const article = await api("/api/article");
const title = h("input", { value: article.title });
const body = h("div", { contenteditable: "true", role: "textbox", "aria-multiline": "true", "aria-label": "Text of the article" });
body.innerHTML = article.body;
const tags = [];
const chips = h("ul.row", { "aria-label": "Tags" });

const format = (label, run) => h("button", { onmousedown: (event) => event.preventDefault(), onclick: () => { body.focus(); run(); } }, label);
const command = (name, value) => () => document.execCommand(name, false, value);

function drawTags() {
  mount(chips, tags.map((tag) => h("li.badge", [tag, h("button", { "aria-label": `Remove ${tag}`, onclick: () => { tags.splice(tags.indexOf(tag), 1); drawTags(); } }, "×")])));
}

const tag = h("input", {
  onkeydown: (event) => {
    if (event.key !== "Enter" || !tag.value.trim()) return;
    event.preventDefault();
    tags.push(tag.value.trim());
    tag.value = "";
    drawTags();
  },
});

const save = (state) => async () => {
  await api("/api/article", { title: title.value, body: body.innerHTML, tags, state });
  toast(state === "published" ? "The article is published" : "The draft is saved");
};

mount(
  app,
  field("Title", title),
  h("div.row", { role: "toolbar", "aria-label": "Format" }, [
    format("Bold", command("bold")), format("Italic", command("italic")), format("Heading", command("formatBlock", "H2")), format("List", command("insertUnorderedList")),
  ]),
  body,
  field("New tag", tag, { hint: "Enter adds it" }),
  chips,
  h("div.row", [h("button", { onclick: save("draft") }, "Save draft"), h("button.primary", { onclick: save("published") }, "Publish")]),
);
