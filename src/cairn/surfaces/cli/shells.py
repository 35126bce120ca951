"""Completion for shells, made from the commands as they are declared: one script for each of bash, zsh and fish.

Commands, options and choices stand in the script, so they cost no process; names and files are asked of
`cairn complete`, which reads the index.
"""

import argparse
import shlex
from collections.abc import Iterator, Sequence

from cairn.base.values import dataclass
from cairn.surfaces.cli.parser import Parser

SHELLS = ("bash", "zsh", "fish")
_POSITIONAL = {
    "NAME": "names",
    "QUERY": "names",
    "NAME|FILE:LINE": "names+files",
    "PLACE": "names+files",
    "WHAT": "names+files",
    "FILE": "files",
    "FILE:LINE": "files",
    "FILE[:A-B]": "files",
    "PATH": "folders",
    "KEY": "keys",
    "COMMAND": "commands",
}
"""What the shell offers for a positional argument, by what the help calls it."""
_OPTIONAL = {"FILE": "files", "FILE:LINE": "files", "PATH": "folders", "FOLDER": "folders", "PLACE": "names+files"}


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """An option of a command."""

    names: tuple[str, ...]
    help: str
    takes: str
    """What its value is: a kind of offer, `words` for its choices, `other` for what nobody can guess; empty if none."""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfferedCommand:
    """A command, or an action of one, with all that may follow it."""

    path: str
    """Its words, like `session open`."""
    help: str
    options: tuple[OfferedOption, ...]
    kinds: tuple[str, ...]
    """What is offered for each positional argument; the last for all that follow."""
    words: tuple[str, ...] = ()
    """Its actions, or what its first argument may be."""


def offered_commands(parser: Parser) -> list[OfferedCommand]:
    """All commands of a parser, the one of all first."""
    return list(_walk(parser, "", ""))


def script(shell: str, commands: Sequence[OfferedCommand], keys: Sequence[str]) -> str:
    """The script that a shell loads."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands, keys)


def _walk(parser: Parser, path: str, text: str) -> Iterator[OfferedCommand]:
    parser.complete()
    options: list[OfferedOption] = []
    kinds: list[str] = []
    words: tuple[str, ...] = ()
    below: list[tuple[str, str]] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            below = [(each.dest, each.help or "") for each in action._choices_actions]
            words = tuple(name for name, _ in below)
            kinds.append("words")
            nested = action.choices
        elif action.option_strings:
            if action.help != argparse.SUPPRESS:
                options.append(_option(action))
        elif action.choices:
            words = tuple(map(str, action.choices))
            kinds.append("words")
        else:
            kinds.append(_POSITIONAL.get(str(action.metavar), "other"))
    yield OfferedCommand(path, text, tuple(options), tuple(kinds), words)
    for name, said in below:
        yield from _walk(nested[name], f"{path} {name}".strip(), said)


def _option(action: argparse.Action) -> OfferedOption:
    metavar = str(action.metavar or "")
    words = tuple(map(str, action.choices or ()))
    if metavar.startswith("{") and metavar.endswith("}"):
        words = tuple(metavar[1:-1].split(","))
    takes = "" if action.nargs == 0 else "words" if words else _OPTIONAL.get(metavar, "other")
    # argparse writes a percent sign twice.
    return OfferedOption(tuple(action.option_strings), (action.help or "").replace("%%", "%"), takes, words)


def _tables(commands: Sequence[OfferedCommand], keys: Sequence[str], *, described: bool) -> Iterator[str]:
    """The functions that bash and zsh share: what a command has, what an option takes, what stands where."""
    yield (
        "_cairn_groups() { case $1 in "
        + "|".join(each.path for each in commands if _has_actions(each, commands))
        + (") return 0;; esac; return 1; }")
    )
    yield "_cairn_options() { case $1 in"
    for each in commands:
        listed = (
            (f"{name}:{option.help.replace(':', ' ')}" if described else name)
            for option in each.options
            for name in option.names
        )
        yield f"{_quoted(each.path)}) printf '%s\\n' {shlex.join(listed)};;"
    yield "esac; }"
    yield '_cairn_takes() { case "$1 $2" in'
    for each in commands:
        for option in each.options:
            if option.takes:
                cases = "|".join(_quoted(f"{each.path} {name}") for name in option.names)
                said = " ".join(("words", *option.words)) if option.takes == "words" else option.takes
                yield f"{cases}) echo {_quoted(said)};;"
    yield "esac; }"
    yield "_cairn_kinds() { case $1 in"
    for each in commands:
        if each.kinds:
            yield f"{_quoted(each.path)}) echo {_quoted(' '.join(each.kinds))};;"
    yield "esac; }"
    yield "_cairn_words() { case $1 in"
    by_path = {each.path: each for each in commands}
    for each in commands:
        if each.words:
            listed = (_word(each, word, by_path) if described else word for word in each.words)
            yield f"{_quoted(each.path)}) printf '%s\\n' {shlex.join(listed)};;"
    yield "esac; }"
    yield f"_cairn_keys() {{ printf '%s\\n' {shlex.join(keys)}; }}"


def _has_actions(each: OfferedCommand, commands: Sequence[OfferedCommand]) -> bool:
    return bool(each.path) and any(other.path.startswith(f"{each.path} ") for other in commands)


def _word(command: OfferedCommand, word: str, by_path: dict[str, OfferedCommand]) -> str:
    below = by_path.get(f"{command.path} {word}".strip())
    return f"{word}:{below.help.replace(':', ' ')}" if below is not None else word


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# What was typed before the word at hand: the command with its action, and how many arguments follow it.
_READ = """\
    command="" place=0 previous=""
    for ((at = first; at < last; at++)); do
        word=${typed[at]}
        if [[ -n $previous ]]; then previous=""; continue; fi
        case $word in
            --*=*|=) ;;
            -*) [[ -n $(_cairn_takes "$command" "$word") ]] && previous=$word ;;
            *)
                if [[ -z $command ]]; then command=$word
                elif [[ $place = 0 ]] && _cairn_groups "$command"; then command="$command $word"
                else place=$((place + 1)); fi ;;
        esac
    done
    if [[ -n $previous ]]; then kind=$(_cairn_takes "$command" "$previous")
    else
        kinds=($(_cairn_kinds "$command")) kind=""
        if [[ ${#kinds[@]} -gt 0 ]]; then
            [[ $place -lt ${#kinds[@]} ]] || place=$((${#kinds[@]} - 1))
            kind=${kinds[$((place + base))]}
        fi
    fi
"""


def _bash(commands: Sequence[OfferedCommand], keys: Sequence[str]) -> str:
    tables = "\n".join(_tables(commands, keys, described=False))
    return f"""\
# Completion of cairn for bash: eval "$(cairn completion bash)"
{tables}
_cairn() {{
    local IFS=$' \\t\\n' typed command place previous word kind kinds at first=1 last base=0 current offered=""
    typed=("${{COMP_WORDS[@]}}") last=$COMP_CWORD current=${{COMP_WORDS[COMP_CWORD]}}
    COMPREPLY=()
    # Bash takes --mode=code apart.
    if [[ $current = "=" ]]; then current=""
    elif [[ $last -gt 1 && ${{typed[last-1]}} = "=" ]]; then last=$((last - 1)); fi
    typed=("${{typed[@]:0:last}}")
{_READ}
    if [[ -z $previous && $current = -* ]]; then
        COMPREPLY=($(compgen -W "$(_cairn_options "$command")" -- "$current"))
        return
    fi
    case $kind in
        words\\ *) offered=${{kind#words }} ;;
        words) offered=$(_cairn_words "$command") ;;
        keys) offered=$(_cairn_keys) ;;
        commands) offered=$(_cairn_words "") ;;
        folders) compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY=($(compgen -d -- "$current")); return ;;
        names|files|names+files)
            compopt -o filenames 2>/dev/null
            IFS=$'\\n'
            COMPREPLY=($(cairn complete "$kind" "$current" 2>/dev/null))
            for ((at = 0; at < ${{#COMPREPLY[@]}}; at++)); do
                if [[ ${{COMPREPLY[at]}} = */ ]]; then compopt -o nospace 2>/dev/null; fi
            done
            return ;;
    esac
    COMPREPLY=($(compgen -W "$offered" -- "$current"))
}}
complete -o default -F _cairn cairn
"""


def _zsh(commands: Sequence[OfferedCommand], keys: Sequence[str]) -> str:
    tables = "\n".join(_tables(commands, keys, described=True))
    return f"""\
#compdef cairn
# Completion of cairn for zsh: eval "$(cairn completion zsh)", or a file _cairn in a folder of $fpath
{tables}
_cairn() {{
    local typed command place previous word kind at first=2 last base=1 current
    local -a kinds offered
    typed=("${{words[@]}}") last=$CURRENT current=${{words[CURRENT]}}
    setopt localoptions shwordsplit
{_READ}
    unsetopt shwordsplit
    if [[ -z $previous && $current = -* ]]; then
        offered=(${{(f)"$(_cairn_options "$command")"}})
        _describe -o option offered
        return
    fi
    case $kind in
        words\\ *) compadd -- ${{=kind#words }} ;;
        words) offered=(${{(f)"$(_cairn_words "$command")"}}); _describe command offered ;;
        keys) compadd -- ${{(f)"$(_cairn_keys)"}} ;;
        commands) offered=(${{(f)"$(_cairn_words "")"}}); _describe command offered ;;
        folders) _files -/ ;;
        names|files|names+files)
            offered=(${{(f)"$(cairn complete "$kind" "$current" 2>/dev/null)"}})
            compadd -S '' -- ${{(M)offered:#*/}}
            compadd -- ${{offered:#*/}}
            [[ ${{#offered}} -gt 0 ]] || _files ;;
        *) _files ;;
    esac
}}
if [[ $funcstack[1] = _cairn ]]; then _cairn "$@"; elif (( $+functions[compdef] )); then compdef _cairn cairn; fi
"""


def _fish(commands: Sequence[OfferedCommand], keys: Sequence[str]) -> str:
    lines = [
        "# Completion of cairn for fish: cairn completion fish | source",
        "# Whether a command was typed; with a second argument, and nothing but options after it.",
        "function __cairn_at",
        "    set -l typed (commandline -opc)",
        "    set -l words (string match -v -- '-*' $typed[2..-1])",
        '    set -l wanted (string split -n " " -- "$argv[1]")',
        "    set -l many (count $wanted)",
        "    test (count $words) -ge $many; or return 1",
        "    test (count $argv) -lt 2 -o (count $words) -eq $many; or return 1",
        "    test $many -eq 0; and return 0",
        '    test "$words[1..$many]" = "$argv[1]"',
        "end",
        "complete -c cairn -f",
    ]
    for each in commands:
        alone = " alone" * (not each.path or _has_actions(each, commands))
        condition = f"-n {_fish_quoted(f'__cairn_at {_fish_quoted(each.path)}{alone}')}"
        lines += [f"complete -c cairn {condition} {_fish_option(option)}" for option in each.options]
        if each.kinds:
            lines += [f"complete -c cairn {condition} {said}" for said in _fish_kinds(each, commands, keys)]
    return "\n".join(lines) + "\n"


def _fish_option(option: OfferedOption) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = ""
    if option.takes == "words":
        value = f" -x -a {_fish_quoted(' '.join(option.words))}"
    elif option.takes == "folders":
        value = " -x -a '(__fish_complete_directories)'"
    elif option.takes in ("names", "files", "names+files"):
        value = f" -x -a '(cairn complete {option.takes} (commandline -ct) 2>/dev/null)'"
    elif option.takes:
        value = " -x"
    return f"{names}{value} -d {_fish_quoted(option.help)}"


def _fish_kinds(each: OfferedCommand, commands: Sequence[OfferedCommand], keys: Sequence[str]) -> Iterator[str]:
    by_path = {other.path: other for other in commands}
    for kind in dict.fromkeys(each.kinds):
        if kind == "words":
            for word in each.words:
                name, _, said = _word(each, word, by_path).partition(":")
                yield f"-a {_fish_quoted(name)} -d {_fish_quoted(said)}"
        elif kind == "keys":
            yield f"-a {_fish_quoted(' '.join(keys))}"
        elif kind == "commands":
            yield f"-a {_fish_quoted(' '.join(by_path[''].words))}"
        elif kind == "folders":
            yield "-a '(__fish_complete_directories)'"
        elif kind != "other":
            yield f"-a '(cairn complete {kind} (commandline -ct) 2>/dev/null)'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
