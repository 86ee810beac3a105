"""Pages that keep Chromium's process for graphics busy, which all pages share."""

import time

import psutil
import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site
from tests.faults import Seen, fault
from tests.processes import words

SHADER = """
const drawing = document.createElement('canvas').getContext('webgl');
const shader = (kind, source) => { const made = drawing.createShader(kind); drawing.shaderSource(made, source); drawing.compileShader(made); return made };
const program = drawing.createProgram();
drawing.attachShader(program, shader(drawing.VERTEX_SHADER, 'attribute vec2 p; void main() { gl_Position = vec4(p, 0, 1); }'));
drawing.attachShader(program, shader(drawing.FRAGMENT_SHADER, `precision highp float; void main() {
  float sum = 0.; for (int i = 0; i < 2000000; i++) sum += sin(float(i)) * cos(sum); gl_FragColor = vec4(sum); }`));
drawing.linkProgram(program);
drawing.useProgram(program);
drawing.bindBuffer(drawing.ARRAY_BUFFER, drawing.createBuffer());
drawing.bufferData(drawing.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), drawing.STATIC_DRAW);
drawing.enableVertexAttribArray(0);
drawing.vertexAttribPointer(0, 2, drawing.FLOAT, false, 0, 0);
document.body.append(drawing.canvas);
setInterval(() => drawing.drawArrays(drawing.TRIANGLES, 0, 3), 1);
"""
"""Draws with a shader that takes hours."""


@fault(
    "Hangs",
    "a page draws with a shader that takes hours",
    "a command ends at its deadline (3) and says so, graphics begin anew; this page, others, goto and restart go on",
    slow=True,
)
def test_a_page_that_keeps_graphics_busy(home: DaemonHarness, site: Site, seen: Seen) -> None:
    home.must("goto", site("/"))
    if home.must("js", "document.createElement('canvas').getContext('webgl') !== null") != "true":
        pytest.skip("this Chromium has no WebGL")
    home.must("newtab", site("/two"))
    (home.workspace / "shader.js").write_text(SHADER)
    begun = time.monotonic()
    commands = (("eval", "shader.js"), *[("text",)] * 5)
    stuck = next(done for words in commands if (done := home.run("--timeout", "2000", *words)).returncode)
    assert stuck.returncode == 3
    assert "a page kept Chromium's graphics busy, which were started anew" in stuck.stderr
    seen(f"said after {time.monotonic() - begun:.1f} s")
    assert time.monotonic() - begun < 60
    for tab in ("1", "2"):
        assert home.must("--tab", tab, "text")
    assert home.must("--timeout", "10000", "goto", site("/late")).startswith("Navigated")
    assert "Go" in home.must("text")
    assert home.must("restart").startswith("Server restarted")


@fault(
    "Hangs",
    "a page's process gets no time of the processor",
    "a command ends at its deadline (3) and says so; graphics, which all pages share, go on",
)
def test_a_process_that_is_late_is_no_drawing_that_hangs(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    chromium = lasting.processes()["chromium"]
    of_graphics = _of_kind(chromium, "gpu-process")
    for process in _of_kind(chromium, "renderer"):
        process.suspend()
    late = lasting.run("--timeout", "500", "text")
    for process in _of_kind(chromium, "renderer"):
        process.resume()
    assert late.returncode == 3
    assert "text did not finish in 0.5s: the page does not answer" in late.stderr
    assert _of_kind(chromium, "gpu-process") == of_graphics
    assert lasting.must("text")


def _of_kind(chromium: psutil.Process, kind: str) -> list[psutil.Process]:
    return [child for child in chromium.children(recursive=True) if f"--type={kind}" in words(child)]
