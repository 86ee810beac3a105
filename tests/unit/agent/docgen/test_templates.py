import pytest

from gstack_browse.agent.docgen.templates import (
    BadArguments,
    Placeholder,
    Source,
    TemplateError,
    TemplateFiller,
)
from tests.each import each_row


def computed(text: str) -> Placeholder:
    return Placeholder("TABLE", "TABLE[:family,…]", lambda *words: Source("", text + ",".join(words)), most=3)


def refuses(*_: str) -> Source:
    raise BadArguments("there is no command clikc")


PLACEHOLDERS = {
    placeholder.name: placeholder
    for placeholder in (
        computed("table "),
        Placeholder("SHARED", "SHARED:name", lambda name: Source(f"{name}.md", f"{name} {{{{TABLE}}}}"), 1, 1),
        Placeholder("LOOP", "LOOP", lambda: Source("loop.md", "one\n{{LOOP}}")),
        Placeholder("LINES", "LINES", lambda: Source("", "a\n\nb\n")),
        Placeholder("WRONG", "WRONG:word", refuses, least=1, most=1),
        Placeholder("BROKEN", "BROKEN", lambda: Source("broken.md", "fine\n{{NOBODY}}")),
    )
}


def fill(text: str) -> str:
    return TemplateFiller(PLACEHOLDERS).fill(Source("x.tmpl", text))


def failure(text: str) -> str:
    with pytest.raises(TemplateError) as failed:
        fill(text)
    return str(failed.value)


def test_placeholders_are_filled_with_their_arguments_and_indentation() -> None:
    assert fill("a {{TABLE}} b") == "a table  b"
    assert fill("{{TABLE:tabs, read}}") == "table tabs,read"
    assert fill("{{SHARED:qa}}") == "qa table "
    assert fill("# {one} {brace}\n") == "# {one} {brace}\n"
    assert fill("1. x\n   {{LINES}}\n") == "1. x\n   a\n\n   b\n"
    assert fill("see {{LINES}}") == "see a\n\nb"
    assert "TABLE[:family,…] SHARED:name LOOP" in failure("{{NOBODY}}")


@each_row(
    ("a\n{{NOBODY}}", "x.tmpl:2: {{NOBODY}} is no placeholder"),
    ("a\n\n{{TABLE", "x.tmpl:3: {{ is never closed"),
    ("{{TABLE}} }}", "x.tmpl:1: }} closes no placeholder"),
    ("{{table}}", "x.tmpl:1: {{ is never closed, or is no placeholder"),
    ("{{SHARED}}", "x.tmpl:1: {{SHARED}} is written {{SHARED:name}}"),
    ("{{TABLE:}}", "x.tmpl:1: {{TABLE}} is written {{TABLE[:family,…]}}"),
    ("{{TABLE:a,b,c,d}}", "x.tmpl:1: {{TABLE}} is written"),
    ("{{LOOP:x}}", "x.tmpl:1: {{LOOP}} is written {{LOOP}}"),
    ("a\n{{WRONG:clikc}}", "x.tmpl:2: {{WRONG}}: there is no command clikc"),
    ("{{BROKEN}}", "broken.md:2: {{NOBODY}} is no placeholder"),
    ("{{LOOP}}", "loop.md:2: placeholders are nested more than 6 deep"),
)
def test_template_error_names_file_and_line(text: str, said: str) -> None:
    assert failure(text).startswith(said)
