"""Render completion scripts for bash, zsh and fish from the declarations. Pure."""

from gstack_browse.registry.command import Command, Registry

GLOBAL_OPTIONS = (
    "--as", "--share", "--tab", "--timeout", "--json", "--fence", "--no-fence", "--any-download", "--help", "--version",
)  # fmt: skip
_DAEMON_QUERIES = {"tab": "tabs", "target": "refs", "context": "contexts"}
"""Hint of an argument's type → what to ask the daemon for."""


def render_script(registry: Registry, shell: str) -> str:
    """Return the script that completes gbrowse's commands in a shell: "bash", "zsh" or "fish"."""
    return {"bash": _render_bash, "zsh": _render_zsh, "fish": _render_fish}[shell](registry)


def _completion_words(registry: Registry, command: Command) -> str:
    """Return the words that follow the command's name: options, choices; names of commands for `help`."""
    if command.name == "help":
        return " ".join(registry.names())
    options = command.options
    names = (name for option in options for name in (option.long, option.short and f"-{option.short}") if name)
    choices = (choice for argument in command.arguments for choice in argument.choices)
    return " ".join((*names, *command.shared_options, *choices))


def _daemon_query(command: Command) -> str:
    """Return what the completion of a command's arguments asks the daemon for.

    It is "refs", "tabs" or "contexts"; "" for nothing.
    """
    hints = {parameter.type.hint for parameter in command.arguments if parameter.type}
    return next((query for hint, query in _DAEMON_QUERIES.items() if hint in hints), "")


def _takes_file(command: Command) -> bool:
    """Return whether an argument or option of the command takes the path of a file."""
    return any(parameter.type and parameter.type.hint == "file" for parameter in command.parameters)


def _render_bash(registry: Registry) -> str:
    """Render the completion script for bash."""
    cases = []
    for command in registry.commands.values():
        words = _completion_words(registry, command)
        files = "; compopt -o default" if _takes_file(command) else ""
        asked = f" asked={kind}" if (kind := _daemon_query(command)) else ""
        cases.append(f'    {"|".join(command.names)}) words="{words}"{asked}{files} ;;')
    return f"""# bash completion for gbrowse
_gbrowse() {{
  local line="${{COMP_LINE:0:COMP_POINT}}" words="" asked="" index command=""
  local word="${{line##* }}" given=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "${{COMP_WORDS[index]}}" in
    --as | --tab)
      ((index + 1 < COMP_CWORD)) && given+=("${{COMP_WORDS[index]}}" "${{COMP_WORDS[index + 1]}}")
      ((index++))
      ;;
    --share | --timeout) ((index++)) ;;
    -*) ;;
    *)
      command="${{COMP_WORDS[index]}}"
      break
      ;;
    esac
  done
  case "$command" in
    "") words="{" ".join((*registry.names(), *GLOBAL_OPTIONS))}" ;;
{chr(10).join(cases)}
  esac
  case "${{COMP_WORDS[COMP_CWORD - 1]}}" in
  --tab) words="" asked=tabs ;;
  --as | --share) words="" asked=contexts ;;
  esac
  [[ $asked && $word != -* ]] && words+=" $("$1" "${{given[@]}}" complete "$asked" 2>/dev/null </dev/null | cut -f1)"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -F _gbrowse gbrowse"""


def _render_zsh(registry: Registry) -> str:
    """Render the completion script for zsh."""
    names = "\n".join(
        "    '" + f"{name}:{item.summary}".replace("'", "'\\''") + "'"
        for item in registry.commands.values()
        for name in item.names
    )
    cases = []
    for command in registry.commands.values():
        words = _completion_words(registry, command)
        files = "; _files" if _takes_file(command) else ""
        asked = f"; _gbrowse_asked {kind}" if (kind := _daemon_query(command)) else ""
        cases.append(f"    {'|'.join(command.names)}) compadd -- {words}{asked}{files} ;;")
    return f"""#compdef gbrowse
_gbrowse_asked() {{
  local -a found
  found=("${{(@f)$(gbrowse $given complete $1 2>/dev/null </dev/null)}}")
  compadd -d found -- "${{(@)found%%$'\\t'*}}"
}}
_gbrowse() {{
  local -a commands given
  commands=(
{names}
  )
  while ((CURRENT > 2)) && [[ $words[2] == -* ]]; do # options before the command
    case "$words[2]" in
    --as | --share | --tab | --timeout)
      ((CURRENT > 3)) || break
      [[ $words[2] == --as || $words[2] == --tab ]] && given+=("${{(@)words[2,3]}}")
      words[2,3]=() CURRENT=$((CURRENT - 2))
      ;;
    *) words[2]=() CURRENT=$((CURRENT - 1)) ;;
    esac
  done
  case "$words[CURRENT-1]" in
  --tab) _gbrowse_asked tabs; return ;;
  --as | --share) _gbrowse_asked contexts; return ;;
  esac
  if ((CURRENT == 2)); then
    if [[ $PREFIX == -* ]]; then
      compadd -- {" ".join(GLOBAL_OPTIONS)}
    else
      _describe command commands
    fi
    return
  fi
  case "$words[2]" in
{chr(10).join(cases)}
  esac
}}
if [[ $funcstack[1] == _gbrowse ]]; then # the file lies in a folder of completions, and this is its first call
  _gbrowse "$@"
else
  compdef _gbrowse gbrowse
fi"""


_FISH_FUNCTIONS = """function __gbrowse_asked
    set -l given
    set -l words (commandline -opc)
    for index in (seq 2 (count $words))
        if contains -- $words[$index] --as --tab; and test $index -lt (count $words)
            set -a given $words[$index] $words[(math $index + 1)]
        end
    end
    gbrowse $given complete $argv 2>/dev/null </dev/null
end
function __gbrowse_command_is
    set -l words (commandline -opc)
    set -l index 2
    while string match -q -- '-*' "$words[$index]"
        set -l value (contains -- $words[$index] --as --share --tab --timeout; and echo 1; or echo 0)
        set index (math $index + 1 + $value)
    end
    contains -- "$words[$index]" $argv
end"""
"""`__gbrowse_asked` asks the daemon, with the `--as` and `--tab` of the line.

`__gbrowse_command_is` tells whether the command of the line is one of its arguments; "" stands for none yet.
"""


def _render_fish(registry: Registry) -> str:
    """Render the completion script for fish."""
    lines = ["# fish completion for gbrowse", _FISH_FUNCTIONS, "complete -c gbrowse -f"]
    none = "-n '__gbrowse_command_is \"\"'"
    queries = {"--tab": "tabs", "--as": "contexts", "--share": "contexts"}
    for name in GLOBAL_OPTIONS:
        asked = queries.get(name)
        value = f" -x -a '(__gbrowse_asked {asked})'" if asked else " -x" if name == "--timeout" else ""
        lines.append(f"complete -c gbrowse {none} -l {name[2:]}{value}")
    for command in registry.commands.values():
        names = " ".join(command.names)
        lines.append(f"complete -c gbrowse {none} -a {_quote_fish(names)} -d {_quote_fish(command.summary)}")
        inside = f"-n '__gbrowse_command_is {names}'"
        for option in command.options:
            short = f" -s {option.short}" if option.short else ""
            lines.append(
                f"complete -c gbrowse {inside} -l {option.long[2:]}{short} -d {_quote_fish(option.help)}"
            )
        choices = [choice for argument in command.arguments for choice in argument.choices]
        if command.name == "help":
            choices = [*registry.names()]
        if choices:
            lines.append(f"complete -c gbrowse {inside} -a {_quote_fish(' '.join(choices))}")
        if query := _daemon_query(command):
            lines.append(f"complete -c gbrowse {inside} -a '(__gbrowse_asked {query})'")
        if _takes_file(command):
            lines.append(f"complete -c gbrowse {inside} -F")
    return "\n".join(lines)


def _quote_fish(text: str) -> str:
    """Quote a text as one word of the shell fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
