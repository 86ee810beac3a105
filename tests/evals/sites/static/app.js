// What the applications share: elements, requests, toasts, dialogs. No framework, the same habits: state, render, fetch.

export const app = document.getElementById("app");

/** An element: h("button.primary", { onclick }, "Save"). */
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  if (attributes instanceof Node || typeof attributes !== "object" || attributes === null || Array.isArray(attributes)) {
    children.unshift(attributes);
    attributes = {};
  }
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && !key.includes("-") && typeof value !== "string") element[key] = value;
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Show what `render` makes, in place of what was there. */
export function mount(place, ...children) {
  place.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
}

export class Refusal extends Error {
  constructor(status, { error, fields }) {
    super(error ?? `The server answered ${status}`);
    this.status = status;
    this.fields = fields ?? {};
  }
}

/** Ask the server: JSON in, JSON out. */
export async function api(path, body, options = {}) {
  const request = body === undefined
    ? { ...options }
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), ...options };
  const response = await fetch(path, request);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

let toasts;
/** Words that come up in a corner, and go. */
export function toast(text, kind = "status") {
  toasts ??= document.body.appendChild(h("div.toasts", { "aria-live": "polite" }));
  const one = h(`div.toast.${kind}`, { role: kind === "error" ? "alert" : "status" }, text);
  toasts.append(one);
  setTimeout(() => one.remove(), 6000);
}

/** A window above the page. Returns a function that closes it. */
export function modal(title, content, { onclose } = {}) {
  const id = `title-${Math.random().toString(36).slice(2)}`;
  const before = document.activeElement;
  const close = () => {
    shade.remove();
    before?.focus?.();
    onclose?.();
  };
  const box = h("div.modal", { role: "dialog", "aria-modal": "true", "aria-labelledby": id, tabindex: "-1" }, [
    h("header", [h("h2", { id }, title), h("button.close", { "aria-label": "Close", onclick: close }, "×")]),
    content,
  ]);
  const shade = h("div.shade", { onclick: (event) => event.target === shade && close() }, box);
  shade.addEventListener("keydown", (event) => event.key === "Escape" && close());
  document.body.append(shade);
  (box.querySelector("input, select, textarea") ?? box).focus();
  return close;
}

/** A labelled field. */
export function field(label, control, { hint, error } = {}) {
  const id = control.id || (control.id = `f-${label.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`);
  if (hint || error) control.setAttribute("aria-describedby", `${id}-note`);
  if (error) control.setAttribute("aria-invalid", "true");
  return h("div.field", [
    h("label", { for: id }, label),
    control,
    error ? h("p.error", { id: `${id}-note` }, error) : hint ? h("p.hint", { id: `${id}-note` }, hint) : null,
  ]);
}

export function select(options, value, attributes = {}) {
  const control = h("select", attributes, options.map((option) => {
    const [key, label] = Array.isArray(option) ? option : [option, option];
    return h("option", { value: key, selected: key === value }, label);
  }));
  return control;
}

export const money = (cents) => `€ ${(cents / 100).toFixed(2).replace(/\B(?=(\d{3})+(?!\d))/g, ",")}`;

/** Call `run` when nothing came for a while. */
export function debounced(run, milliseconds = 150) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...values), milliseconds);
  };
}

export const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== null)).toString();
