"""Lists the permissions a page has asked for in vain, with the command that grants them.

Each permission is listed once for each document.
"""

_PLACE = "geolocation"
_NAMES = frozenset(
    [
        "camera",
        "clipboard-read",
        "idle-detection",
        "local-fonts",
        "microphone",
        "midi",
        "notifications",
        "window-management",
    ]
) | {_PLACE}
"""All permissions that `asked-permissions.js` reports."""


class AskedPermissions:
    """Permissions that the page of one tab has asked for, and that are not granted."""

    def __init__(self) -> None:
        self._documents: dict[str, int] = {}
        self._untold: list[str] = []
        self._granted: frozenset[str] = frozenset()

    def note(self, name: str, document: int, granted: frozenset[str]) -> None:
        """Note a permission, once for each document.

        granted: those that are; the command that grants has to name them again
        """
        if name in _NAMES - granted and self._documents.get(name) != document:
            self._documents[name] = document
            self._untold.append(name)
            self._granted = granted

    def take_lines(self) -> list[str]:
        """Return the lines about permissions that no reply has reported yet."""
        untold, self._untold = self._untold, []
        names = [name for name in untold if name != _PLACE]
        lines = []
        if _PLACE in untold:
            lines.append(f"asks for permission: {_PLACE} (not granted: emulate --geo 52.52,13.4)")
        if names:
            grant = ",".join(sorted({*names, *self._granted} - {_PLACE}))
            lines.append(f"asks for permission: {', '.join(names)} (not granted: emulate --grant {grant})")
        return lines
