"""Test `text --markdown`: text with its headings, lists, tables and links, and nothing unseen."""

import pytest

from gstack_browse.errors import UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<style>.gone { display: none } .faint { opacity: 0 }</style><header><h1>Fruit <small>2026</small></h1></header>
<div role=heading aria-level=3>By role</div><p>Some <b>bold</b>, <em>more</em> and <code>x|y</code>. <a href="/a?b=1&c=2">A link</a><br>next * line</p>
<p class=gone>never</p><p class=faint>faint words</p><ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><ol start=3><li>three</li></ol>
<table><thead><tr><th>Name<th>Price</tr></thead><tbody><tr><td>Apple | red<td>1<br>2</tr><tr><td><p>Pear</p><p>green</p><td><a href="/pear">3</a></tr></table>
<table><tr><td><table><tr><td>Laid</td></tr></table></td><td>out</td></tr></table>
<div role=table><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div><div role=row><span role=cell>1</span><span role=cell>2</span></div></div>
<pre>a  b
 c</pre><blockquote>said</blockquote><a href="javascript:alert(1)">code</a><img alt="A fox" src="/fox.png"><img src="/plain.png">
<a href="/card"><div><h2>Card</h2><p>with words</p></div></a><details><summary>More</summary>closed</details><div id=host></div>
<label>Field <input value=secret></label><hr><div>last</div><script>host.attachShadow({mode: 'open'}).innerHTML = '<h2>In a root</h2><slot></slot>'</script>"""
MARKDOWN = """# Fruit 2026

### By role

Some **bold**, *more* and `x|y`. [A link]({url}/a?b=1&c=2)
next \\* line

- one
  - inner
- two

3. three

| Name | Price |
| --- | --- |
| Apple \\| red | 1 2 |
| Pear green | [3]({url}/pear) |

Laid

out

| A | B |
| --- | --- |
| 1 | 2 |

```
a  b
 c
```

> said

code![A fox]({url}/fox.png)
[Card with words]({url}/card)

More

## In a root

Field

---

last"""


async def test_a_page_as_markdown(run: Run, fails: Fails, show: Show, shell: Shell, web: Web) -> None:
    await show(PAGE)
    assert await run("text --markdown") == MARKDOWN.replace("{url}", web.url)
    assert shell.replies[-1].notes == ["11 characters hidden: text --hidden"]
    assert await run("text --markdown ul") == "- one\n  - inner\n- two"
    await fails("text --markdown --hidden", UsageError)


async def test_markdown_of_a_frame_and_of_what_is_deep(run: Run, show: Show, web: Web) -> None:
    inner = web.show_elsewhere("<h2 id=h>Inside</h2>")
    await show(f"{'<div><ul><li>' * 700}deep{'</ul></div>' * 700}")
    assert (await run("text --markdown")).endswith("deep")
    await show(f"<iframe src='{inner}'></iframe>")
    ref = await ref_of(run, '"Inside"', "")
    assert await run("text --markdown", ref) == "## Inside"
