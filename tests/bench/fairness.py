"""How long twenty agents wait for their answers, alone and beside one whose page floods the browser.

    python -m tests.bench.fairness --seconds 20

Each agent works in a browser context of its own (`--as`), and asks for `text`, `snapshot` and a `goto` in turn. Prints the median
and the 99th percentile of all but the hostile one, without it and with it, and the ratio. Nothing is asserted: a busy machine says other things.
"""

import argparse
import statistics
import threading
import time

from tests.e2e.daemon.conftest import home_of
from tests.e2e.daemon.harness import PAGES, ROOT, DaemonHarness, Site

AGENTS = 20
FLOOD = (
    "<script>setInterval(() => { for (let i = 0; i < 2000; i++) document.title = `flood ${i}` }, 1)</script>"
)


def main() -> None:
    """Measure twice, and print the results."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.fairness")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each of the two takes")
    parser.add_argument("--agents", type=int, default=AGENTS)
    options = parser.parse_args()
    PAGES["/flood"] = f"<title>Flood</title>{FLOOD}"
    with home_of(DaemonHarness, ROOT) as home:
        site = Site()
        home.begin(site("/"))
        names = [f"agent{number}" for number in range(options.agents)]
        for name in names:
            home.must("--as", name, "goto", site("/"))
        alone = _measured(home, site, names, options.seconds)
        wire = home.connect()
        wire.send({"cmd": "goto", "args": [site("/flood")], "as": "hostile", "reply": "json"})
        beside = _measured(home, site, names, options.seconds)
        site.close()
    for label, took in (("alone", alone), ("beside a flood", beside)):
        print(
            f"{label}: {len(took)} answers, median {statistics.median(took) * 1000:.0f} ms, p99 {_p99(took) * 1000:.0f} ms"
        )
    print(f"p99 beside a flood is {_p99(beside) / _p99(alone):.1f} times that alone")


def _measured(home: DaemonHarness, site: Site, names: list[str], seconds: float) -> list[float]:
    """Return the seconds that each answer took, of all agents at once."""
    took: list[float] = []
    end = time.monotonic() + seconds

    def work(name: str) -> None:
        wire = home.connect()
        while time.monotonic() < end:
            for command, *words in (("text",), ("snapshot",), ("goto", site("/two"))):
                begun = time.monotonic()
                wire.ask(command, *words, **{"as": name})
                took.append(time.monotonic() - begun)
        wire.close()

    workers = [threading.Thread(target=work, args=(name,)) for name in names]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return took


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


if __name__ == "__main__":
    main()
