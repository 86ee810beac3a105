"""Test agents that do anything in any order: each finds its own state, and no other's."""

import random

import pytest

from tests.commands.conftest import Shell
from tests.commands.web import Web

pytestmark = pytest.mark.same_session
NAMES = ("default", "ann", "bob")
STEPS = 12
SEED = 2


class Agents:
    """Agents with their actions, and so with the state that they must find."""

    def __init__(self, shell: Shell, url: str, chance: random.Random) -> None:
        self._shell = shell
        self._url = url
        self._chance = chance
        self._logins: dict[str, str] = {}
        self._tabs: dict[str, int] = {}
        self.done: list[str] = []

    async def step(self) -> None:
        """Let an agent do something."""
        name = self._chance.choice(NAMES)
        actions = [self.log_in, self.log_in, self.open, self.close_tab, self.change, self.leave, self.rest]
        act = self._chance.choice(actions)
        self.done.append(f"{name}: {act.__name__}")
        await act(name)

    async def must(self, name: str, line: str, *words: str) -> str:
        reply = await self._shell.send(line, *words, as_="" if name == "default" else name)
        assert reply.code == 0, f"{self.done}: {reply.message}"
        return reply.text

    async def log_in(self, name: str) -> None:
        who = self._logins[name] = f"{name}{len(self.done)}"
        await self.must(name, "goto", self._url)
        await self.must(name, "js", f"document.cookie = 'who={who}'; localStorage.who = '{who}'")
        self._tabs.setdefault(name, 1)

    async def open(self, name: str) -> None:
        await self.must(name, "newtab", self._url)
        self._tabs[name] = self._tabs.get(name, 1) + 1

    async def close_tab(self, name: str) -> None:
        await self.must(name, "closetab")
        self._tabs[name] = max(self._tabs.get(name, 1) - 1, 1)

    async def change(self, name: str) -> None:
        """Go to another browser context of Chromium's, with everything."""
        await self.must(name, f"useragent {name}/{len(self.done)}")
        self._tabs.setdefault(name, 1)

    async def leave(self, name: str) -> None:
        if name in self._tabs and name != "default":
            await self.must("default", f"context-close {name}")
            self._tabs.pop(name)
            self._logins.pop(name, None)

    async def rest(self, name: str) -> None:
        """Be closed for being idle, and kept."""
        context = self._shell.service.contexts.get(name)
        if context and context.browser and name != "default":
            await self._shell.service.context_opener.suspend(context)

    async def check_all(self) -> None:
        """Check that each agent finds its own state."""
        numbers: list[str] = []
        for name, count in self._tabs.items():
            await self.must(name, "goto", self._url)
            found = await self.must(name, "js", "document.cookie + '|' + (localStorage.who ?? '')")
            who = self._logins.get(name, "")
            assert found == (f"who={who}|{who}" if who else "|"), self.done
            tabs = (await self.must(name, "tabs")).splitlines()
            assert len(tabs) == count, self.done
            numbers += [line.split("[")[1].split()[0].rstrip("]") for line in tabs]
        assert len(set(numbers)) == len(numbers), self.done


async def test_nobody_ever_finds_what_is_another_s(shell: Shell, web: Web) -> None:
    agents = Agents(shell, web.show("<title>Site</title>"), random.Random(SEED))
    await agents.log_in("default")
    for _ in range(STEPS):
        await agents.step()
    await agents.check_all()
