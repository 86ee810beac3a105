"""Cookies: take logins over from the browsers you use.

What is read, decrypted and set stands in `cookies` and `browser.reading.cookie_import`; this is the choice of what is meant, and
the words about what was done.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.cookies import records
from gstack_browse.cookies.records import DatabaseContents, Skip, StoredCookie, count_by_domain
from gstack_browse.cookies.stores.profiles import BROWSERS, Browser, Profile, Unreadable, find_browser
from gstack_browse.errors import ImportFailed, UsageError
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import Text
from gstack_browse.registry.suggest import nearest
from gstack_browse.registry.values.argument_type import ArgumentType, Repeatable
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.text.units import format_count

if TYPE_CHECKING:
    from gstack_browse.browser.reading.cookie_import import Importer, ImportResult

NAME = "cookie-import-browser"
MOST_LISTED = 100
"""Domains of one profile that `--list` prints; `--list --all` prints them all."""
_MOST_NAMED = 8


def _parse_browser(word: str, _paths: CallerPaths) -> Browser:
    """Return the installed browser of that name, to import from. Raises UsageError for an unknown one."""
    if found := find_browser(word):
        return found
    names = [browser.id for browser in BROWSERS]
    near = nearest(word.lower(), names)
    raise UsageError(
        f'"{word[:60]}" is no browser that cookies can be taken from',
        f"Did you mean {near}?" if near else f"Known: {', '.join(names)}",
    )


def _parse_domain(word: str, _paths: CallerPaths) -> str:
    """Parse a domain, or a URL for its host. Return the domain in its normal form. Raises UsageError."""
    if host := records.normalise_host(word):
        return host
    raise UsageError(f'"{word[:60]}" is not a domain', "Write it as github.com; repeat --domain for several")


BrowserName = Annotated[
    Browser, ArgumentType("browser", "chrome, chromium, brave, edge, firefox, …: see --list", _parse_browser)
]
Domain = Annotated[
    Sequence[str], ArgumentType("domain", "a site, for example github.com", _parse_domain), Repeatable
]


@dataclass
class CookieSource:
    """A browser profile with its cookie database, or with the reason why that is unreadable."""

    profile: Profile
    contents: DatabaseContents
    problem: str = ""

    def select_cookies(self, sites: Sequence[str], *, exact: bool) -> list[StoredCookie]:
        """Return the profile's cookies for these sites; all cookies if `sites` is empty.

        `exact`: without those of subdomains.
        """
        return [cookie for cookie in self.contents.cookies if _belongs_to_sites(cookie, sites, exact=exact)]


@command(
    META,
    name=NAME,
    examples=[
        f"{NAME} --domain github.com",
        f"{NAME} chrome --profile 'Profile 1' --domain github.com",
        f"{NAME} --list",
        NAME,
    ],
    timeout=60,
    fresh=True,
)
async def cookie_import_browser(
    open_context: OpenContext,
    browser: BrowserName | None = None,
    *,
    domain: Domain = (),
    exact: bool = False,
    profile: Text | None = None,
    all: bool = False,
    list: bool = False,
) -> str:
    """Import cookies from a browser of this machine, so that this one is logged in where that one is.

    Without --domain or --all it opens a page on which a person chooses the sites, and prints its address. Values
    are decrypted in memory and go straight into the browser: no log or reply ever holds one, and a file only where
    you ask for it (state-save --imported, BROWSE_PERSIST=1). Afterwards js and eval run only on pages of the imported
    domains, unless --any-origin is given.

    domain: import this site: its cookies and those of the names below it
    exact: only cookies of exactly that domain
    profile: a profile's directory, account or name, as --list shows it
    all: import everything the profile holds
    list: show browsers, profiles and domains with their counts, and import nothing
    """
    from gstack_browse.browser.reading.cookie_import import (
        get_importer,  # keyrings and ciphers: not at every start of the daemon
    )

    if domain and all:
        raise UsageError("--domain and --all exclude each other")
    source = get_importer(open_context)
    sources = await _read_sources(source, browser, profile)
    if list:
        return _render_sources(sources, domain, exact=exact, all=all)
    if not (domain or all):
        from gstack_browse.local_pages.picker.server import open_picker

        return await open_picker(open_context, source, [each.profile for each in sources])
    return await _import_cookies(open_context, source, sources, tuple(dict.fromkeys(domain)), exact=exact)


async def _read_sources(
    importer: "Importer", browser: Browser | None, profile: str | None
) -> Sequence[CookieSource]:
    """Read the cookies of profiles of `browser`; None: of all browsers.

    `profile`: a profile's directory, name or label; None for all. Raises ImportFailed if none exists, UsageError if none is
    called so.
    """
    found = await importer.list_profiles(browser)
    if not found:
        which = browser.name if browser else "a browser"
        raise ImportFailed(
            f"No cookies of {which} were found on this machine",
            "Looked where Chrome, Chromium, Brave, Edge, Vivaldi, Opera and Firefox keep their profiles",
        )
    if profile is not None:
        meant = [each for each in found if each.is_called(profile)]
        if not meant:
            raise UsageError(
                f'There is no profile "{profile[:60]}"',
                "Profiles: " + ", ".join(f"{each.browser.id}: {each.label}" for each in found),
            )
        found = meant
    return await asyncio.gather(*(_read_source(importer, each) for each in found))


async def _read_source(importer: "Importer", profile: Profile) -> CookieSource:
    """Read the cookies in a profile's database. If it is unreadable, return the reason instead of cookies."""
    try:
        return CookieSource(profile, await importer.read_contents(profile))
    except Unreadable as why:
        return CookieSource(profile, DatabaseContents(0, []), str(why))


def _belongs_to_sites(cookie: StoredCookie, sites: Sequence[str], *, exact: bool) -> bool:
    """Return whether a cookie is for one of `sites`; True if these are empty. `exact`: no subdomains."""
    return not sites or any(records.is_cookie_of_site(cookie.host, site, exact=exact) for site in sites)


# ── importing ────────────────────────────────────────────────────────────────────────────────────────────────


async def _import_cookies(
    browser: OpenContext,
    importer: "Importer",
    sources: Sequence[CookieSource],
    sites: tuple[str, ...],
    *,
    exact: bool,
) -> str:
    """Import cookies of `sites` (all if empty) from the profile that used them last. Return the reply.

    `exact`: without those of subdomains. Raises ImportFailed.
    """
    holding = [source for source in sources if source.select_cookies(sites, exact=exact)]
    if not holding:
        raise _no_cookies_error(sources, sites)
    holding.sort(key=lambda source: -max(cookie.used for cookie in source.select_cookies(sites, exact=exact)))
    best = holding[0]
    outcome = await importer.import_cookies(
        browser,
        best.profile,
        best.contents,
        lambda cookie: _belongs_to_sites(cookie, sites, exact=exact),
        sites,
    )
    if not sites:
        outcome.skipped[Skip.MALFORMED] += best.contents.malformed
    if not outcome.imported:
        raise _make_import_error(best, outcome, sites)
    hosts = list(outcome.imported)
    what = _join_first_names(sites or hosts) if sites or len(hosts) == 1 else f"{len(hosts)} domains"
    by_host = (f"{count} for {host}" for host, count in outcome.imported.most_common())
    options = " ".join(f"--domain {site}" for site in sites) or "--all"
    lines = [
        f"Imported {format_count(outcome.imported.total(), 'cookie')} for {what} from {best.profile.title}",
        *([f"→ {_join_first_names(by_host)}"] if len(hosts) > 1 else []),
        *([f"→ skipped {_render_skip_reasons(outcome.skipped)}"] if +outcome.skipped else []),
        *([f"→ {outcome.missing.describe()}"] if outcome.missing else []),
        *(
            f"→ also in {source.profile.title}: {NAME} {source.profile.browser.id} --profile '{source.profile.directory}' {options}"
            for source in holding[1:]
        ),
        *(
            f"→ {source.profile.title} could not be read: {source.problem}"
            for source in sources
            if source.problem
        ),
        "→ from now on js and eval run only on pages of imported domains, unless --any-origin is given",
    ]
    return "\n".join(lines)


def _no_cookies_error(sources: Sequence[CookieSource], sites: Sequence[str]) -> ImportFailed:
    """Return the error that no profile has a cookie of these sites, or that no profile could be read."""
    problems = [f"{source.profile.title}: {source.problem}" for source in sources if source.problem]
    if len(problems) == len(sources):
        return ImportFailed("The cookies could not be read: " + "; ".join(problems))
    names = "; ".join(source.profile.title for source in sources)
    return ImportFailed(
        f"No cookies for {_join_first_names(sites) if sites else 'any site'} in {names}"
        + (f" (could not be read: {'; '.join(problems)})" if problems else ""),
        "Log in there first. Just logged in? A browser writes its cookies every 30 seconds: wait and try again. "
        f"'{NAME} --list' shows what there is",
    )


def _make_import_error(source: CookieSource, outcome: "ImportResult", sites: Sequence[str]) -> ImportFailed:
    """Return the error that no cookie of a profile could be imported, with reasons and advice.

    `outcome`: what failed. `sites`: those asked for; empty for all.
    """
    what = f"None of the {format_count(outcome.skipped.total(), 'cookie')} for {_join_first_names(sites) if sites else 'all sites'}"
    why = f": {outcome.missing}" if outcome.missing else ""
    advice = outcome.missing.advice if outcome.missing else ""
    if not advice and outcome.skipped[Skip.EXPIRED]:
        advice = "Log in again in that browser, wait 30 seconds, and try again"
    return ImportFailed(
        f"{what} in {source.profile.title} could be imported ({_render_skip_reasons(outcome.skipped)}){why}",
        advice,
    )


# ── words ────────────────────────────────────────────────────────────────────────────────────────────────────


def _join_first_names(names: Iterable[str]) -> str:
    """Join names; of many, only the first: `a.com, b.com and 3 more`."""
    listed = [*names]
    shown = ", ".join(listed[:_MOST_NAMED])
    return f"{shown} and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else shown


def _render_skip_reasons(skipped: Counter[Skip]) -> str:
    """Format reasons for skipped cookies with their counts: `3: 2 expired, 1 malformed`."""
    reasons = ", ".join(f"{count} {reason}" for reason, count in (+skipped).most_common())
    return f"{skipped.total()}: {reasons}"


def _render_sources(sources: Sequence[CookieSource], sites: Sequence[str], *, exact: bool, all: bool) -> str:
    """Return the profiles with their cookies' domains and counts, the most cookies first.

    `all`: all domains, not only the first. `exact`: without subdomains of `sites`.
    """
    blocks = []
    for source in sources:
        if source.problem:
            blocks.append(f"{source.profile.title}: could not be read: {source.problem}")
            continue
        cookies = source.select_cookies(sites, exact=exact)
        domains = count_by_domain(cookies)
        shown = domains if all else domains[:MOST_LISTED]
        odd = f", {source.contents.malformed} malformed" if source.contents.malformed else ""
        lines = [
            f"{source.profile.title}: {format_count(len(cookies), 'cookie')}{odd} ({source.profile.browser.id})"
        ]
        lines += [f"{item.cookies:>6}  {item.host}" for item in shown]
        if left := len(domains) - len(shown):
            lines.append(f"        … and {format_count(left, 'more domain')}: --list --all")
        blocks.append("\n".join(lines))
    return "\n".join(blocks)
