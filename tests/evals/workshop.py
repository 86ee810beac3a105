"""Make the directory in which an agent works.

It has a workspace of gbrowse, its skill, and an environment without anything of the user's.

<directory>/work     the working directory, a git root: what the agent sees
<directory>/home     HOME, settings and sessions of the agent's program, ~/.gstack
<directory>/bin      gbrowse, first on the PATH
<directory>/t        temporary files
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench.contestants import MARK, Contestant, gbrowse
from tests.bench.process import HungError, TimedCommand, timed
from tests.evals.agents import Agent

KEPT = (
    "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "SHELL", "HTTP_PROXY", "HTTPS_PROXY",
    "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "BROWSE_CHROMIUM",
    "BROWSE_SANDBOX",
)  # fmt: skip
"""Variables that an agent gets besides its record's: of a user's environment anything else could change what it does."""


@dataclass(frozen=True)
class Workshop:
    """A directory that an agent works in."""

    root: Path
    contestant: Contestant
    environment: Mapping[str, str]

    @property
    def work(self) -> Path:
        return self.root / "work"

    def gbrowse(self, *words: str, seconds: float = 60) -> TimedCommand | None:
        """Run a command of gbrowse there; None if it hung."""
        try:
            return timed(
                [str(self.root / "bin/gbrowse"), *words],
                cwd=self.work,
                environment=self.environment,
                deadline=seconds,
            )
        except HungError:
            return None


@contextmanager
def entered(agent: Agent, chromium: str) -> Iterator[Workshop]:
    """Make a new workshop. Raises OSError.

    Afterwards nothing that was started there runs, and the directory is gone.
    """
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="eval-")).resolve()
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        for name in ("work/.git", "home", "bin", "t"):
            (root / name).mkdir(parents=True)
        ours = gbrowse()[0]
        (root / "bin/gbrowse").symlink_to(ours.program[0])
        (root / "prompt.txt").touch(0o600)
        tool = replace(ours, environment={**ours.environment, "TMPDIR": str(root / "t")})
        contestant = Contestant(tool, root / "work")
        stack.callback(contestant.stop)
        workshop = Workshop(root, contestant, environment(agent, root, contestant, chromium))
        _install_skill(workshop, agent)
        yield workshop


def environment(agent: Agent, root: Path, contestant: Contestant, chromium: str) -> dict[str, str]:
    """Return the environment of the agent's program."""
    return {
        "BROWSE_CHROMIUM": chromium,
        "BROWSE_IDLE_TIMEOUT": "600000",
        MARK: contestant.environment[MARK],
        **quiet_environment(agent, root),
    }


def quiet_environment(agent: Agent, root: Path) -> dict[str, str]:
    """Return the environment of an agent's program that has no browser to use."""
    kept = {
        name: os.environ[name] for name in (*KEPT, *map(str.lower, KEPT), *agent.keys) if name in os.environ
    }
    return {
        **kept,
        "PATH": f"{root / 'bin'}:{os.environ.get('PATH', os.defpath)}",
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "t"),
        "TERM": "dumb",
        "GSTACK_HOME": str(root / "home/.gstack"),
        **agent.environment,
        agent.home: str(root / "home/agent"),
    }


def _install_skill(workshop: Workshop, agent: Agent) -> None:
    """Put the skill where the agent looks for it.

    Raises OSError, without which the run would measure something else.
    """
    (workshop.root / "home/agent").mkdir()
    done = workshop.gbrowse("skills-install", "browse", "--host", agent.skills)
    if done is None or done.code:
        said = "it hung" if done is None else done.complaint.strip()
        raise OSError(f"the skill could not be installed: {said}")
    if agent.is_sandboxed:
        workshop.gbrowse("goto", "about:blank")
