"""The emulated screen of a page: size, pixel ratio, mobile or not. `viewport.py` applies it."""

from dataclasses import dataclass
from typing import Any

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
        width, height = self.size
        is_upright = self.mobile and width <= height
        orientation = (
            {"type": "portraitPrimary", "angle": 0}
            if is_upright
            else {"type": "landscapePrimary", "angle": 90 if self.mobile else 0}
        )
        return {
            "width": width,
            "height": height,
            "screenWidth": width,
            "screenHeight": height,
            "deviceScaleFactor": self.scale,
            "mobile": self.mobile,
            "screenOrientation": orientation,
        }

    @property
    def is_default(self) -> bool:
        return self == Screen()
