"""Put the native client into a wheel as `gbrowse`, with the script beside it, or the script alone.

This is a step of the wheel's build. See docs/decisions/0006-native-client.md.
"""

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SCRIPT = "bin/gbrowse-installed"


class NativeClient(BuildHookInterface):
    """Tags the wheel for this platform if there is something native in it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="gbrowse-")
        program = Path(self._place.name) / "gbrowse"
        command = [sys.executable, "-I", f"{self.root}/bin/build_native.py", program, "gbrowse-python"]
        if subprocess.run(command, check=False).returncode:
            build_data["shared_scripts"][SCRIPT] = "gbrowse"
            return
        build_data["shared_scripts"] |= {str(program): "gbrowse", SCRIPT: "gbrowse-python"}
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._place.cleanup()
