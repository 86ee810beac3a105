"""Generated pages that everyone is measured on, and the server that shows them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from tests.bench.steps import DOWNLOAD_BYTES, FIELDS
from tests.e2e.serving import Answering, serving

STYLE = "<style>body{font:14px sans-serif} .meta{color:#777} td{padding:2px 6px}</style>"


def form() -> str:
    """A sign-up form of a dozen fields. It notes on its body what was done to it."""
    fields = "".join(
        f'<p><label>{name} <input name="{name.lower()}" id="{name.lower()}"></label></p>'
        for name in ("Name", "Email", "Phone", "Street", "City", "Zip")
    )
    rest = (
        '<select name="country" id="country"><option>France</option><option>Germany</option></select>'
        '<label><input type="checkbox" name="terms"> I agree</label><button type="button" id="go">Continue</button>'
        '<a href="/news">News</a>'
    )
    notes = (
        "<script>document.getElementById('go').onclick = () => { document.body.dataset.clicked = 'yes' };"
        "document.onmouseover = event => { document.body.dataset.hovered = event.target.id }</script>"
    )
    return f"<!doctype html><title>Form</title>{STYLE}<h1>Sign up</h1><form>{fields}{rest}</form>{notes}"


def fields() -> str:
    """A form of as many fields as are filled in one call."""
    rows = "".join(f'<p><label>Field {name} <input id="{name}"></label></p>' for name in FIELDS)
    return f"<!doctype html><title>Fields</title>{STYLE}<form>{rows}</form>"


def news() -> str:
    """A front page of 30 stories with votes, sites, authors and comments."""
    stories = "".join(
        f'<tr><td>{n}.</td><td><a href="#up{n}" title="upvote">▲</a></td><td><a href="/story/{n}">Story number {n} about '
        f'something that happened</a> <span class="meta">(<a href="/site/{n}">example{n}.org</a>)</span></td></tr>'
        f'<tr><td colspan="2"></td><td class="meta">{n * 7} points by <a href="/user/{n}">user{n}</a> '
        f'<a href="/story/{n}#age">{n} hours ago</a> | <a href="#hide{n}">hide</a> | <a href="/story/{n}#c">{n * 3} comments</a></td></tr>'
        for n in range(1, 31)
    )
    menu = "".join(
        f'<a href="/{word}">{word}</a> | ' for word in ("new", "past", "comments", "ask", "show", "jobs")
    )
    return f"<!doctype html><title>News</title>{STYLE}<nav>{menu}</nav><table>{stories}</table><a href='/more'>More</a>"


def table(rows: int) -> str:
    """A table of trades: five cells a row, one of them a link and one with two buttons."""
    body = "".join(
        f'<tr><td>{n}</td><td><a href="/row/{n}">Item {n}</a></td><td>{n * 17 % 1000}</td><td>open</td>'
        f"<td><button>Buy {n}</button><button>Sell {n}</button></td></tr>"
        for n in range(rows)
    )
    head = "<tr><th>No</th><th>Name</th><th>Price</th><th>State</th><th>Actions</th></tr>"
    return f"<!doctype html><title>Table of {rows}</title>{STYLE}<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def frames(count: int) -> str:
    """`count` frames, each with a form of two fields and a button."""
    inner = "<label>Word <input></label><select><option>a<option>b</select><button>Send</button>"
    quoted = inner.replace('"', "&quot;")
    return f"<!doctype html><title>Frames</title>{STYLE}" + f'<iframe srcdoc="{quoted}"></iframe>' * count


def drag() -> str:
    """Return a page with a card and two places, #go and #name, for it.

    It goes where the mouse is released, after movements with the button down.
    """
    style = "<style>#go,#name{width:200px;height:120px;border:1px solid;margin:9px} #card{width:80px;height:30px;background:#dde}</style>"
    script = (
        "<script>let held = null, moves = 0; card.onmousedown = event => { held = card; moves = 0; event.preventDefault() };"
        "onmousemove = event => { if (event.buttons) moves++ };"
        "onmouseup = event => { if (held && moves) event.target.closest('#go,#name')?.append(held); held = null }</script>"
    )
    return f"<!doctype html><title>Drag</title>{STYLE}{style}<div id=name><div id=card>Card</div></div><div id=go></div>{script}"


def download() -> str:
    """A link to a large file."""
    return f"<!doctype html><title>Download</title>{STYLE}<a id=file href={LARGE} download=large.bin>Large</a>"


LARGE = "/large.bin"
PAGES = {
    "/form": form,
    "/fields": fields,
    "/news": news,
    "/frames-50": lambda: frames(50),
    "/download": download,
    "/drag": drag,
}


def page(path: str) -> str:
    """The page at a path: one of PAGES, or `/table-<rows>`."""
    if path.startswith("/table-"):
        return table(int(path.removeprefix("/table-")))
    return PAGES.get(path, lambda: "<!doctype html><title>Other</title><p>Other")()


@contextmanager
def served() -> Iterator[str]:
    """The pages on a port of this machine; yields the base URL."""
    made = cache(lambda path: page(path).encode())

    class Handler(Answering):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True
        # Headers and body leave in one packet, at once. In two, the second waited for the browser's word about the first, which the
        # system holds back for up to 40 ms: for whoever had asked a moment before, and for nobody else.

        def get(self) -> None:
            if self.path == LARGE:
                self.answer(bytes(DOWNLOAD_BYTES), kind="application/octet-stream")
            else:
                self.answer(made(self.path), kind="text/html; charset=utf-8")

    with serving(Handler) as port:
        yield f"http://127.0.0.1:{port}"
