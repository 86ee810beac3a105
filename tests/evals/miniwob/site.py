"""Serves the pages of MiniWoB++, and hears of the rewards that they give."""

import json
import mimetypes
import threading
from random import Random
from typing import Any

from tests.evals.miniwob import pages
from tests.evals.sites.site import Refused, Reply, Request, Site, get, post

EPISODE_SECONDS = 600
"""The pages' own limit is 10 s to 30 s, and their reward shrinks meanwhile; the task's own limit holds instead."""
HOOKS = """
Math.seedrandom(%s);
core.startEpisode = function () {
  if (core.cover_div) return;
  core.createDisplay();
  core.cover_div = document.createElement('div');
  core.EPISODE_MAX_TIME = %d;
  core.startEpisodeReal();
};
core.endEpisodeOfPage = core.endEpisode;
core.endEpisode = function (reward, timed, reason) {
  if (core.EP_TIMER === null) return;
  core.endEpisodeOfPage(reward, false, reason);
  navigator.sendBeacon('/-/episode', JSON.stringify({reward: reward}));
};
"""
"""The episode begins with the page, made by the seed; its end is told to the site, and no other one begins."""


class Miniwob(Site):
    """A task of the package."""

    schema = "CREATE TABLE episodes (id INTEGER PRIMARY KEY, reward REAL);"

    def __init__(self, name: str, number: int = 1) -> None:
        super().__init__()
        self.name = name
        self.ended = threading.Event()
        """A reward was given."""
        self._number = number
        self._seed = ""

    def fill(self, random: Random) -> None:
        self._seed = f"{random.randrange(1_000_000)}.{self._number}"

    @get("/core/core.js")
    def core(self, _: Request) -> Reply:
        content = (pages.root() / "core/core.js").read_text(encoding="utf-8")
        hooks = HOOKS % (json.dumps(self._seed), EPISODE_SECONDS * 1000)
        return Reply((content + hooks).encode(), 200, _kind("core.js"))

    @post("/-/episode")
    def end(self, request: Request) -> Any:
        reward = request.json.get("reward")
        if not isinstance(reward, int | float):
            raise Refused(400, "A reward is a number")
        self.database.insert("episodes", reward=float(reward))
        self.ended.set()
        return {}

    def _page(self, path: str) -> Reply:
        root = pages.root().resolve()
        file = (root / path.lstrip("/")).resolve()
        if not file.is_relative_to(root) or not file.is_file():
            raise Refused(404, "There is nothing here")
        return Reply(file.read_bytes(), 200, _kind(file.name))


def _kind(name: str) -> str:
    """The pages do not say that they are in UTF-8."""
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
