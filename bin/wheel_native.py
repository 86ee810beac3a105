"""Put the native client into a wheel as `gbrowse`, with the script beside it, or the script alone.

This is a step of the wheel's build. See docs/decisions/0006-native-client.md. GBROWSE_WHEEL, which `bin/wheels` sets,
asks for one processor (`x86_64`, `aarch64`) or for the script alone (`any`); without it the wheel is for this machine.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SCRIPT = "bin/gbrowse-installed"
TAG = "py3-none-manylinux_2_17_{0}.musllinux_1_2_{0}"
"""A static program runs with either C library, so that one wheel serves both."""


class NativeClient(BuildHookInterface):
    """Tags the wheel for this platform if there is something native in it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="gbrowse-")
        wanted = os.environ.get("GBROWSE_WHEEL", "")
        program = Path(self._place.name) / "gbrowse"
        if wanted == "any" or not self._compile(program, wanted):
            build_data["shared_scripts"][SCRIPT] = "gbrowse"
            return
        build_data["shared_scripts"] |= {str(program): "gbrowse", SCRIPT: "gbrowse-python"}
        build_data["pure_python"] = False
        here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = TAG.format(wanted) if wanted else f"py3-none-{here}"

    def _compile(self, program: Path, processor: str) -> bool:
        """Compile for `processor`; "" is this machine. Raises RuntimeError if the wanted one cannot be."""
        command = [sys.executable, "-I", f"{self.root}/bin/build_native.py", str(program), "gbrowse-python"]
        environment = dict(os.environ)
        if processor:
            command.append("--static")
            environment["CC"] = f"{sys.executable} -m ziglang cc -target {processor}-linux-musl"
        done = subprocess.run(command, env=environment, check=False)
        if processor and done.returncode:
            raise RuntimeError(f"the native client could not be compiled for {processor}")
        return done.returncode == 0

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._place.cleanup()
