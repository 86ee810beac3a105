"""The pages on which healing is measured: those of the evaluations' sites, in two halves.

Weights were tuned on the sites of TUNED. Figures are of the pages of HELD_OUT, which no weight has seen.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.evals.task import opened
from tests.evals.tasks import named

TUNED = {
    "shop-order": ("/", "/checkout", "/gift-cards"),
    "dashboard-view": ("/",),
    "download-export": ("/", "/reports"),
    "stay-book": ("/", "/folders"),
    "login-session": ("/",),
    "ticket-survey": ("/", "/new", "/hasty"),
}
"""A task on each site, and the paths of pages."""
HELD_OUT = {
    "admin-price": ("/admin", "/admin/orders", "/admin/products", "/product/1"),
    "board-move": ("/", "/plan"),
    "dialog-rename": ("/",),
    "editor-write": ("/",),
    "table-sort": ("/", "/parts", "/feed"),
    "frame-settings": ("/", "/card", "/embed/settings", "/rooms"),
    "hunt-clinic": ("/", "/hours"),
    "hunt-library": ("/",),
    "mail-reply": ("/",),
    "voucher-tab": ("/",),
    "wizard-complete": ("/",),
}
SEED = 7


@contextmanager
def addresses(sites: dict[str, tuple[str, ...]]) -> Iterator[list[str]]:
    """Serve the sites; the addresses of all their pages."""
    with ExitStack() as stack:
        found = []
        for task, paths in sites.items():
            case = stack.enter_context(opened(named(task), SEED))
            found += [f"{case.url}{path}" for path in paths]
        yield found
