"""Audit: find what is wrong with a page, and what it is made of."""

from gstack_browse.browser.auditing import audit as auditing
from gstack_browse.browser.auditing import matched_rules, page_facts
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.errors import ProblemsFound
from gstack_browse.network.exchange import security as judging
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import Properties, Target, Word
from gstack_browse.text.units import format_count


@command(
    READ,
    examples=["audit", "audit main", "audit --tags wcag2a,wcag2aa", "audit @e3 --json"],
    page_text=True,
    waits=True,
    timeout=60,
)
async def audit(
    page: PageCommand,
    target: Target | None = None,
    *,
    tags: Word = "",
    incomplete: bool = False,
    all: bool = False,
    json: bool = False,
) -> str:
    """Check accessibility by axe-core: impact, rule, ref, reason of each element. Exit 1 if any.

    Each element has a line. All that the page shows is checked, or one element, with the frames and shadow
    roots inside, closed ones too. The page notices nothing of it, and its content security policy does not hold
    for it.

    tags: only the rules with one of these tags, for example wcag2a,wcag2aa or best-practice
    incomplete: print what axe-core cannot decide as well: a person has to look
    all: every element, in place of the first 10 of each rule
    json: an object with what axe-core says of each element, and an address that explains the rule
    """
    report = await auditing.audit(page, target, [tag.strip() for tag in tags.split(",") if tag.strip()])
    if report.undecided and not (incomplete or json):
        page.notes.append(
            f"axe-core cannot decide on {format_count(report.undecided, 'element')}: audit --incomplete"
        )
    if report.frames_left_out:
        page.notes.append(f"{format_count(report.frames_left_out, 'frame')} could not be audited")
    if json:
        text = auditing.render_json(report)
    else:
        shown = auditing.render_findings(report.violations, all=all)
        undecided = auditing.render_findings(report.incomplete, all=all) if incomplete else []
        text = "\n".join([*shown, *(["To be looked at:", *undecided] if undecided else [])])
    if not report.violations:
        return text if json else "\n".join(filter(None, [report.summary(), text]))
    raise ProblemsFound(
        report.summary(),
        "" if json else "What a rule wants, and where it is explained: 'audit --json'",
        output=text,
    )


@command(READ, examples=["security", "security --fail-on high", "security --json"], page_text=True)
async def security(page: PageCommand, *, fail_on: judging.Level | None = None, json: bool = False) -> str:
    """Check the page's headers, cookies, forms and requests for weaknesses.

    A line says how bad, what and why, and what to do. Content security policy, HSTS, framing, sharing with
    other sites; cookies without Secure, HttpOnly or SameSite; what is asked by http; forms that send by http;
    scripts and frames of other sites. Nothing is attacked: only what the page has loaded is looked at. For
    pages of this machine encryption is not demanded.

    fail_on: exit 1 when there is a problem at least as bad
    json: an object for each problem
    """
    found = judging.find_problems(await page_facts.gather_facts(page))
    text = judging.render_json(found) if json else "\n".join(finding.render() for finding in found)
    bad = [
        finding
        for finding in found
        if fail_on and judging.LEVELS.index(finding.level) <= judging.LEVELS.index(fail_on)
    ]
    if not bad:
        return text if json else "\n".join(filter(None, (text, judging.summarise(found))))
    raise ProblemsFound(f"{judging.summarise(found)}; --fail-on {fail_on}", output=text)


@command(READ, examples=["styles @e3", "styles h1 color font-size"], page_text=True)
async def styles(page: PageCommand, target: Target, *properties: Properties, all: bool = False) -> str:
    """Print the style rules that apply to an element, with file and line, the strongest first.

    They are printed as an inspector shows them. Then what the element inherits from each of its ancestors, and
    the rules of its pseudo-elements. What another declaration wins over is marked. With properties: only
    declarations that set one of them, which is the answer to where a color or a margin comes from. `css` prints
    what it comes to.

    all: the browser's own rules as well
    """
    matched, sheets, around = await matched_rules.find_matched_rules(page, target)
    lines = matched_rules.render_styles(matched, sheets, around, page.frame.url, properties, all=all)
    return "\n".join(lines) or "(no rule applies)"


@command(READ, examples=["data", "data --json"], page_text=True)
async def data(page: PageCommand, *, json: bool = False) -> str:
    """Print what the page says of itself to search engines and social networks.

    For example canonical address, robots and JSON-LD. Everything that its `meta` and `link` elements say, but
    for style sheets; JSON-LD as it is, with what makes it invalid, and types of microdata. What is said twice
    is noted. Frames are pages of their own: 'frame <target>' goes into one.

    json: an object, in which JSON-LD is parsed
    """
    facts = await page_facts.fetch_data(page)
    page.notes += list(page_facts.find_problems(facts))
    return page_facts.render_json(facts) if json else "\n".join(page_facts.render_lines(facts)) or "(nothing)"


@command(READ, examples=["media", "media '#main'"], page_text=True)
async def media(page: PageCommand, target: Target | None = None) -> str:
    """Print the pictures, backgrounds, videos and sounds of the page or an element, with a ref for each.

    Their own size and the one they are shown in, length and state of what plays, bytes, address; and what is wrong: failed to load, no `alt`, much larger than
    it is shown. Those in frames are not listed: 'frame <target>' goes into one.
    """
    found, more = await page_facts.fetch_media(page, target)
    if more:
        page.notes.append(f"cut: {format_count(more, 'more picture or sound', 'more pictures and sounds')}")
    return "\n".join(page_facts.render_media(item.facts, item.ref, item.name) for item in found) or "(no media)"
