"""The reference of settings, from the declarations that `gbrowse config` prints."""

from gstack_browse.agent.docgen.markdown import escape_tags
from gstack_browse.agent.local import settings
from gstack_browse.agent.local.checks import browser_settings
from gstack_browse.settings import WITHOUT_MEANING
from gstack_browse.workspace.config_file import HARMLESS, variable_of

_HEAD = """# Settings

Written by `python -m gstack_browse.agent.docgen --write` from the declarations that `gbrowse config` prints.

```bash
BROWSE_MAX_TABS=20 gbrowse goto https://example.com   # for this daemon
gbrowse config max_tabs 20                            # for all workspaces
gbrowse config                                        # each setting, and where its value comes from
```

The daemon reads its settings when it starts. A running daemon keeps them until `gbrowse stop`.

The environment goes before the person's file, `~/.config/gbrowse/config.toml`, and that before the workspace's, `gbrowse.toml`.
In files a setting has its name in lower case without `BROWSE_`: `max_tabs = 20`. A workspace's file may set only what limits,
forbids or marks something, since a repository may come from a stranger
([why](decisions/0010-settings-are-environment-variables.md)).

## Daemon and browser

| variable | meaning | default | in `gbrowse.toml` |
|---|---|---|---|
"""

_VARIABLES = """
## Variables only

| variable | meaning |
|---|---|
| `BROWSE_STATE_FILE` | path of the state file, by default `.gstack/browse.json`. Socket, locks and logs lie beside it and are called after it. Each state file has a daemon of its own |
| `BROWSE_AS` | the [browser context](contexts.md) of commands without `--as`; read with each command |
| `GSTACK_HOME` | where a person's notes are kept, by default `~/.gstack` ([files](local-files.md)). A running daemon has its own: secrets and the image service of another are refused |

## A person's notes

`gbrowse config local_traces false` sets one of these, in `~/.gstack/config.toml`.

| setting | meaning | default |
|---|---|---|
"""

_VALUES = """
## Values

| setting | example, and where it is explained |
|---|---|
| `BROWSE_ALLOW`, `BROWSE_ALLOW_RESOURCES` | `github.com,*.corp,localhost:3000`; other hosts are refused with exit code 7 ([rules](decisions/0037-allowed-hosts-and-metadata-services.md)) |
| `BROWSE_CONFIRM` | `upload,js,cookie-import-browser` ([how](decisions/0038-page-text-is-hostile.md)) |
| `BROWSE_FENCE` | in a caller's environment it marks the replies to that caller ([fence](protocol.md#fence)) |
| `BROWSE_ATTACH` | [attaching](attach.md#where-it-is-refused) |
| `BROWSE_PERSIST`, `BROWSE_PROFILE` | [state that lasts](state.md) |
| `BROWSE_REMOTE`, `BROWSE_REMOTE_HEADERS` | [a browser on another machine](remote.md#a-browser-on-another-machine) |
| `BROWSE_MAX_CONTEXTS`, `BROWSE_CONTEXT_MB` | [limits of contexts](contexts.md#limits) |
| `BROWSE_PROXY` | `http://ann@proxy.corp:3128`, also `https` and `socks5`. Unset: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy` hold ([passwords](state.md#passwords-of-proxies-and-client-certificates)) |
| `BROWSE_CLIENT_CERT` | several with commas between them; Linux only ([passphrases](state.md#passwords-of-proxies-and-client-certificates)) |
| `BROWSE_CA_CERT` | a company's authority; needs `certutil` |
| `BROWSE_INSECURE` | `localhost:8443` |
| `BROWSE_DOWNLOADS` and the like | beyond the limit pages get no more files |
| `BROWSE_SHOT_SIDE` | larger pictures are made smaller, unless the command says otherwise |
| `BROWSE_HEADED` | pages keep the size that `viewport` gives them |

## Without meaning

`gbrowse status` names variables that look like ours and do nothing.

| variable | why |
|---|---|
"""


def render_settings() -> str:
    """Render the reference of settings as Markdown."""
    return "".join(
        (
            _HEAD,
            *(_render_setting(name) for name in browser_settings.MEANINGS),
            _VARIABLES,
            *(_render_person_setting(name) for name in settings.MEANINGS),
            _VALUES,
            *(f"| `{name}` | {why} |\n" for name, why in WITHOUT_MEANING.items()),
        )
    )


def _render_setting(name: str) -> str:
    """Render a row of the settings table: variable, meaning, default, whether a workspace may set it."""
    default, meaning = browser_settings.MEANINGS[name]
    shown = f"`{default}`" if default else "–"
    return f"| `{variable_of(name)}` | {escape_tags(meaning)} | {shown} | {'yes' if name in HARMLESS else 'no'} |\n"


def _render_person_setting(name: settings.Name) -> str:
    default = settings.UserSettings().format_value(name)
    return f"| `{name}` | {settings.MEANINGS[name]} | `{default}` |\n"
