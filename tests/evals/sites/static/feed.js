// A feed that grows when its end comes into view.
import { api, app, h, toast } from "/static/app.js";

const list = h("div", { role: "feed", "aria-label": "Posts" });
const end = h("p.hint", "Loading …");
app.append(h("h1", "Feed"), list, end);
let count = 0, busy = false;

const post = (one) =>
  h("article.card", { "aria-label": `Post of ${one.author}`, style: "margin-bottom: 16px; min-height: 120px" }, [
    h("strong", one.author),
    h("p", one.words),
    h("button", {
      "aria-pressed": String(!!one.liked),
      onclick: async (event) => {
        const button = event.currentTarget;
        await api(`/api/posts/${one.id}/like`, {});
        button.setAttribute("aria-pressed", "true");
        toast("Liked");
      },
    }, "Like"),
  ]);

async function more() {
  if (busy) return;
  busy = true;
  const posts = await api(`/api/posts?start=${count}`);
  count += posts.length;
  list.append(...posts.map(post));
  busy = false;
  if (posts.length) return;
  end.textContent = "That is all.";
  observer.disconnect();
}

const observer = new IntersectionObserver(([entry]) => entry.isIntersecting && more(), { rootMargin: "200px" });
observer.observe(end);
