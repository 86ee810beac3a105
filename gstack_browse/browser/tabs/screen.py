"""The emulated screen of a page: size, pixel ratio, mobile or not. `viewport.py` applies it."""

from dataclasses import dataclass
from typing import Any

from gstack_browse.browser.devtools.emulation import metrics_params
from gstack_browse.registry.measures import Size

DEFAULT = Size(1280, 720)


@dataclass
class Screen:
    """The size of pages in CSS pixels, device pixels per CSS pixel, and whether the layout is mobile."""

    size: Size = DEFAULT
    scale: float = 1.0
    mobile: bool = False

    def options(self) -> dict[str, Any]:
        """Return the options of a browser context for this screen."""
        return {"viewport": self.size._asdict(), "device_scale_factor": self.scale, "is_mobile": self.mobile}

    def metrics(self) -> dict[str, Any]:
        """Return the parameters of `Emulation.setDeviceMetricsOverride`."""
        return metrics_params(self.options())

    @property
    def is_default(self) -> bool:
        return self == Screen()
