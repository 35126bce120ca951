"""Parameters of questions: what each may be, checked in one place for every door.

A parameter has one name, which Python, JSON and the documentation use. Where a door has always spelled it otherwise,
that spelling is part of the declaration.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from cairn.base import lazy
from cairn.base.errors import UsageError
from cairn.base.values import dataclass, replace

Kind = Literal["string", "integer", "boolean", "strings"]
Values = dict[str, Any]
"""What was given for each parameter, by name; defaults stand where nothing was."""
Schema = dict[str, Any]
MOST_CHARS = 50_000
"""The longest text that any parameter takes, through every door."""
_MOST_ITEMS = 100
_SHOWN = 60
_INTEGER = lazy.expression(r"[+-]?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; a default of None leaves the choice to the question."""

    name: str
    kind: Kind
    help: str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    most_with: tuple[int, str, tuple[str, ...]] | None = None
    """A higher bound, what it is of, and the parameters of which one has to be true for it to count."""
    flag: str | None = ""
    """On the command line: an option of this name, of the parameter's own name where it is empty; None: positional."""
    short: str = ""
    metavar: str = ""
    switches: tuple[tuple[str, str, str], ...] = ()
    """Options of the command line that stand for one value each: (flag, value, help)."""
    http: str | None = ""
    """Its name in a query string, where that differs; None: it can't be given there."""
    form: Callable[[str], bool] | None = None
    """Tells a value from a path that stands beside it, for one that the command line takes without an option."""
    is_path: bool = False
    """Whether it names files of the codebase, which may be told from where the user stands."""
    in_words: bool = False
    """Whether several words of a command line, without quotes, are one value."""
    in_tools: bool = True
    """Whether agents get it: a model pays for every parameter that it is told of."""

    @property
    def option(self) -> str:
        """How the command line spells it."""
        if self.flag is None:
            return self.metavar or self.name.upper()
        return self.flag or f"--{self.name.replace('_', '-')}"

    @property
    def query_name(self) -> str:
        """How a query string spells it."""
        return self.http or self.name

    def bounded(self, given: Mapping[str, Any]) -> "Parameter":
        """The parameter with the bound that counts beside what else was given."""
        if self.most_with is None or not any(given.get(name) is True for name in self.most_with[2]):
            return self
        return replace(self, most=self.most_with[0], most_with=None)

    @property
    def bounds(self) -> str:
        """How far a number goes, in words; empty for one without bounds."""
        said = "" if self.least is None else f"{self.least}"
        said += "" if self.most is None else f" to {self.most}"
        return said if self.most_with is None else f"{said}, or to {self.most_with[0]} {self.most_with[1]}"

    @property
    def explained(self) -> str:
        """Its help, with what a flat schema can't tell of its bounds."""
        return self.help if self.most_with is None else f"{self.help}; {self.bounds}"

    def allowed(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.kind == "integer":
            return f"a whole number{' from ' * (self.least is not None)}{self.bounds}"
        if self.kind == "strings":
            return f"a list of at most {_MOST_ITEMS} texts"
        return "true or false" if self.kind == "boolean" else f"a text of 1 to {MOST_CHARS} characters"

    def meant(self, text: str) -> int | str:
        """What a text stands for, at a door that knows only texts: a number, where one is wanted and written."""
        return int(text) if self.kind == "integer" and _INTEGER.fullmatch(text) else text

    def accepts(self, value: object, *, sized: bool = True) -> bool:
        """Whether a value is of the right kind and within the bounds; `sized`: lists have a bound too."""
        if self.kind == "strings":
            if not isinstance(value, list | tuple) or (sized and len(value) > _MOST_ITEMS):
                return False
            return all(_is_text(each) for each in value)
        if self.kind == "string":
            return _is_text(value) and (not self.choices or value in self.choices)
        if self.kind == "boolean":
            return isinstance(value, bool)
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def checked(self, value: object, spelled: str, *, sized: bool = True) -> Any:
        """The value; UsageError that says what is allowed, with the parameter as the door spells it."""
        if self.accepts(value, sized=sized):
            return tuple(value) if self.kind == "strings" and isinstance(value, list) else value
        reason = "" if self.choices or self.kind not in ("string", "strings") else _fault_of(value)
        raise UsageError(
            f"{spelled} {reason or f'{_shown(value)} is not allowed; give {self.allowed()}'}.",
            hint=f"{spelled}: {self.help}.",
        )

    def schema(self) -> Schema:
        """The parameter as a flat JSON schema, which every client can read."""
        if self.kind == "strings":
            return {"type": "array", "items": {"type": "string"}, "maxItems": _MOST_ITEMS}
        found: Schema = {"type": self.kind}
        if self.choices:
            found["enum"] = list(self.choices)
        elif self.kind == "string":
            found |= {"minLength": 1, "maxLength": MOST_CHARS}
        most = self.most if self.most_with is None else self.most_with[0]
        bounds = {"minimum": self.least, "maximum": most, "default": self.default}
        return found | {name: value for name, value in bounds.items() if value is not None}


Spell = Callable[[Parameter], str]
"""How a door spells a parameter."""


def options_of(parameters: Iterable[Parameter]) -> dict[str, str]:
    """How the command line spells each parameter, by its name."""
    return {each.name: each.option for each in parameters}


def helps_of(parameters: Iterable[Parameter]) -> dict[str, str]:
    """What the help of the command line says of each parameter, by its name: with its bounds and its default."""
    found = {}
    for each in parameters:
        bounds = f", {each.bounds}" if each.kind == "integer" and each.least is not None else ""
        usual = "" if each.default in (None, False) else f" (default {each.default})"
        found[each.name] = each.help + bounds + usual
    return found


def by_name(parameter: Parameter) -> str:
    """The spelling of Python and of JSON."""
    return parameter.name


def checked(
    parameters: Iterable[Parameter], given: Mapping[str, Any], spell: Spell = by_name, *, sized: bool = True
) -> Values:
    """All values by name, with defaults; UsageError for one that is unknown, missing or not allowed.

    A server bounds how much others send it. Who runs a command on their own machine may name as many files as a shell
    takes: `sized` is False there. How long a text may be is the same everywhere.
    """
    known = {parameter.name: parameter for parameter in parameters}
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        names = ", ".join(map(spell, known.values())) or "none"
        raise UsageError(f"There is no parameter {_shown(unknown)}.", hint=f"Parameters are: {names}.")
    values: Values = {}
    for name, parameter in known.items():
        value = given.get(name)
        if value is not None:
            own, whole = parameter.bounded(given), _whole(value)
            # How a door spells it matters only where it is wrong.
            spelled = "" if own.accepts(whole, sized=sized) else spell(parameter)
            values[name] = own.checked(whole, spelled, sized=sized)
        elif parameter.required:
            raise missing(parameter, spell)
        else:
            values[name] = () if parameter.kind == "strings" and parameter.default is None else parameter.default
    return values


def missing(parameter: Parameter, spell: Spell = by_name) -> UsageError:
    """The error where a parameter that is needed was not given."""
    return UsageError(f"{spell(parameter)} is missing.", hint=f"Give {parameter.allowed()}: {parameter.help}.")


def _fault_of(value: object) -> str:
    """Why a text is none that can be meant; empty where its kind or size is what is wrong."""
    texts = (value,) if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    if "" in texts:
        return "is empty" if isinstance(value, str) else "holds an empty text"
    if any(isinstance(each, str) and len(each) > MOST_CHARS for each in texts):
        return f"{'has' if isinstance(value, str) else 'holds a text of'} more than {MOST_CHARS:,} characters"
    return "holds a NUL character" if any(isinstance(each, str) and "\0" in each for each in texts) else ""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MOST_CHARS and "\0" not in value


def _whole(value: object) -> object:
    """JSON knows one kind of number: 5.0 is the whole number 5."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _shown(value: object) -> str:
    try:
        text = str(value) if isinstance(value, int) else repr(value)
    except ValueError:
        return "of very many digits"  # Python writes no longer numbers
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
