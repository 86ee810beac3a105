import json

from gstack_browse.browser.auditing.tracing import render_longest_tasks


def event(
    name: str, begin: float, duration: float, tid: int = 1, cat: str = "devtools.timeline", **data: object
) -> dict[str, object]:
    """Times in milliseconds."""
    times = {"ts": begin * 1000, "dur": duration * 1000, "pid": 7, "tid": tid}
    return {"ph": "X", "name": name, "cat": cat, **times, "args": {"data": data}}


MAIN = {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "CrRendererMain"}}


def lines_of_trace(*events: object) -> list[str]:
    return render_longest_tasks(json.dumps({"traceEvents": [MAIN, *events]}).encode())


def test_a_task_says_what_took_its_time() -> None:
    assert lines_of_trace(
        event("RunTask", 10, 100),
        event("EvaluateScript", 11, 80, url="http://a/x/app.js", lineNumber=5),
        event("v8.run", 12, 70, cat="v8"),
        event("Layout", 20, 30),
        event("RunTask", 200, 5),
        event("RunTask", 0, 900, tid=2),
    ) == [
        "2 tasks of the main thread took 105 ms; the longest:",
        "  100 ms at 0.0 ms: EvaluateScript app.js:5 50 ms, Layout 30 ms, of the browser itself 20 ms",
        "  5.0 ms at 190 ms: of the browser itself 5.0 ms",
    ]
    (line,) = lines_of_trace(
        event("RunTask", 0, 100),
        event("RunMicrotasks", 1, 90, cat="v8.execute"),
        event("MinorGC", 2, 30, cat="devtools.timeline,v8"),
    )[1:]
    assert line == "  100 ms at 0.0 ms: promises 60 ms, garbage collection 30 ms, of the browser itself 10 ms"
    assert len(lines_of_trace(*(event("RunTask", 10 * number, 2) for number in range(30)))) == 11
    profiler = event("CpuProfiler::StartProfiling", 1, 80, cat="v8")
    first = lines_of_trace(event("RunTask", 0, 90), profiler, event("RunTask", 100, 2))[0]
    assert first.startswith("1 task of the main thread took 2.0 ms")


def test_odd_traces_are_no_failure() -> None:
    nothing = ["No task of the main thread took a millisecond"]
    assert render_longest_tasks(b"{broken") == nothing
    assert render_longest_tasks(b"[1, null]") == nothing
    assert lines_of_trace({"ph": "X", "pid": 7, "tid": 1, "ts": "x"}, event("RunTask", 0, 0.5)) == nothing
    hostile = event("FunctionCall", 0, 8, functionName="a\x1b[1m")
    assert "␛" in lines_of_trace(event("RunTask", 0, 9), hostile)[1]
