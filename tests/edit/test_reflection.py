"""Names that a program reads while it runs: asked about where they may be the one that is renamed."""

import pytest

from cairn.edit.values import NEEDS_DECISION, OK, OK_SYNTACTIC
from tests.edit.samples import Rename, Words, why

pytestmark = [pytest.mark.requirement("GATE.1"), pytest.mark.sampled]


def of_class(member: str = "") -> str:
    return f"`m`/A#{member}"


def asked(rename: Rename, word: str, text: str, facts: Words, *more: tuple[str, str]) -> bool:
    """Whether the rename is asked about because names are read; it passes otherwise."""
    files = {"m.py": (text, facts)} | {path: (content, {}) for path, content in more}
    found = rename(word, files)
    assert (found.status, why(found)) in ((OK, set()), (NEEDS_DECISION, {"name_as_data"}))
    return found.status == NEEDS_DECISION


VALUE = {"!A": of_class(), "A@2": of_class(), "!size": of_class("size."), "size@2": of_class("size.")}


@pytest.mark.parametrize(
    ("body", "is_asked"),
    [
        ("    def f(self): return vars(self)\n", True),
        ("    def f(self): return dict(self.__dict__)\n", True),
        ("    def f(self): return self.__dict__['other']\n", False),
        ("    def f(self, other): self.__dict__.update(other)\n", True),
        ("    def f(self): self.__dict__.get('other')\n", False),
        ("    def f(self, word): return getattr(self, word)\n", True),
        ("    def f(self, word): return getattr(self, 'do_' + word)\n", False),
        ("    def f(self, other, word): return getattr(other, word)\n", True),
        ("    def f(self, word): return getattr(self, word or 'other')\n", True),
        ("    def f(self, word): return getattr(self, table['other'])\n", True),
        ("    def f(self, word): return getattr(self, f'do_{word}')\n", False),
        ("    def f(self, word): return getattr(self, f'{word}')\n", True),
        ("    def f(self, word): return getattr(self, 'do_{}'.format(word))\n", False),
        ("    def f(self, word): return self.__getattribute__(word)\n", True),
        ("    def f(self): object.__setattr__(self, 'other', 1)\n", False),
        ("    def f(self): return partial(getattr, self)\n", True),
        ("    def f(self): return [each for each in dir(self)]\n", True),
        ("    def f(self): return [each for each in dir(self) if each.startswith('do_')]\n", False),
        ("    def f(self): return 1\n", False),
    ],
)
def test_a_class_that_reads_its_own_members(rename: Rename, body: str, is_asked: bool) -> None:
    text = f"class A:\n    def __init__(self): self.size = 1\n{body}print(A().size)\n"
    assert asked(rename, "size", text, VALUE) == is_asked


def test_a_class_below_that_reads_its_members_reads_those_that_it_inherits(rename: Rename) -> None:
    text = (
        "class A:\n    def __init__(self): self.size = 1\nclass B(A):\n    def f(self): return vars(self)\nB().size\n"
    )
    assert asked(rename, "size", text, {**VALUE, "!B": "`m`/B#", "B@2": "`m`/B#"})


def test_members_that_are_found_by_how_they_begin(rename: Rename) -> None:
    text = (
        "class A:\n    def do_run(self): pass\n"
        "    def all(self): return [each for each in dir(self) if each.startswith('do_')]\nA().do_run()\n"
    )
    facts = {"!A": of_class(), "A@2": of_class(), "!do_run": of_class("do_run()."), "do_run@2": of_class("do_run().")}
    assert asked(rename, "do_run", text, facts)


@pytest.mark.parametrize(
    ("head", "use", "is_asked"),
    [
        ("@dataclass\n", "asdict(A())", True),
        ("@dataclass\n", "[each.name for each in fields(A)]", True),
        ("@dataclass\n", "A(**given)", True),
        ("@dataclass\n", "A()", False),
        ("", "asdict(A())", False),
        ("", "vars(A)", True),
        ("", "getattr(A, word)", True),
        ("", "getattr(A, 'other')", False),
        ("", "json.dumps(it, default=lambda each: each.__dict__)", True),
        ("", "json.dumps(it, default=str)", False),
    ],
)
def test_rows_that_are_taken_apart_by_name(rename: Rename, head: str, use: str, is_asked: bool) -> None:
    text = f"{head}class A:\n    size: int = 1\nprint(A().size)\nprint({use})\n"
    facts = dict(VALUE)
    if "A" in use:
        facts["A@3"] = of_class()
    assert asked(rename, "size", text, facts) == is_asked


@pytest.mark.parametrize(("kind", "is_asked"), [("Meta", True), ("ABCMeta", False)])
def test_a_metaclass_may_read_the_body_of_its_classes(rename: Rename, kind: str, is_asked: bool) -> None:
    assert asked(rename, "size", f"class A(metaclass={kind}):\n    size = 1\nprint(A().size)\n", VALUE) == is_asked


@pytest.mark.parametrize(("body", "is_asked"), [("def __new__(cls, name, bases, given): pass", True), ("x = 1", False)])
def test_a_metaclass_of_the_tree_is_read(rename: Rename, body: str, is_asked: bool) -> None:
    text = f"class A(metaclass=M):\n    size = 1\nprint(A().size)\nclass M(type):\n    {body}\n"
    assert asked(rename, "size", text, {**VALUE, "!M@2": "`m`/M#", "M": "`m`/M#"}) == is_asked


ENUM = "scip-python python python-stdlib 3.11 enum/Enum#"


@pytest.mark.parametrize(
    ("head", "use", "is_asked"),
    [
        ("Enum", "A[word]", True),
        ("Enum", "A.__members__", True),
        ("Enum", "A._member_map_", True),
        ("Enum", "A.__getitem__", True),
        ("Enum", "getattr(A, word)", True),
        ("Enum", "it.name", True),
        ("Enum", "A.size.value", False),
        ("Enum", "other.name", True),
        ("Enum", "print(other.name)", False),
        ("Enum", "list(A)", True),
        ("Enum", "attrgetter('name')", True),
        ("Enum", "isinstance(1, A)", False),
        ("StrEnum", "1", True),
    ],
)
def test_members_of_an_enumeration_know_their_names(rename: Rename, head: str, use: str, is_asked: bool) -> None:
    text = f"class A({head}):\n    size = 1\nprint(A.size)\nkept = {use}\n"
    facts = {**VALUE, head: ENUM.replace("Enum#", f"{head}#")} | ({"A@3": of_class()} if "A" in use else {})
    facts |= {"name": f"{ENUM}name()."} if "it.name" in use else {}
    facts |= {"size@3": of_class("size.")} if ".size" in use else {}
    assert asked(rename, "size", text, facts) == is_asked


@pytest.mark.slow
@pytest.mark.parametrize("way", ["cls[word]", "type(self)[word]", "self.__class__[word]", "cls.__members__"])
def test_an_enumeration_that_looks_its_own_members_up(rename: Rename, way: str) -> None:
    text = f"class A(Enum):\n    size = 1\n    def of(self, cls, word): return {way}\nprint(A.size)\n"
    assert asked(rename, "size", text, {**VALUE, "Enum": ENUM})
    assert not asked(rename, "size", text.replace(way, "cls['other']"), {**VALUE, "Enum": ENUM})


def test_the_name_of_something_else_is_none_of_an_enumeration(rename: Rename) -> None:
    text = "class A(Enum):\n    size = 1\nprint(A.size)\nkept = it.name\n"
    assert not asked(rename, "size", text, {**VALUE, "Enum": ENUM, "name": "`m`/B#name."})


@pytest.mark.parametrize(
    ("use", "is_asked"),
    [
        ("vars(it)", True),
        ("it.__dict__", True),
        ("it.__dict__['other']", False),
        ("vars(B)", False),
        ("dir(it)", True),
        ("[each for each in dir(it) if each.startswith('do_')]", False),
        ("getmembers(it)", True),
        ("vars()", False),
    ],
)
def test_an_object_whose_members_are_listed_elsewhere(rename: Rename, use: str, is_asked: bool) -> None:
    text = "class A:\n    def __init__(self): self.size = 1\nprint(A().size)\n"
    files = {"m.py": (text, VALUE), "n.py": (f"def f(it):\n    return {use}\n", {"B": "`n`/B#"} if "B" in use else {})}
    assert (rename("size", files).status == NEEDS_DECISION) == is_asked


@pytest.mark.slow
def test_the_methods_of_an_object_are_not_among_its_values(rename: Rename) -> None:
    facts = {"!A": of_class(), "A@2": of_class(), "!go": of_class("go()."), "go@2": of_class("go().")}
    text = "class A:\n    def go(self): pass\nA().go()\n"
    assert not asked(rename, "go", text, facts, ("n.py", "def f(it): return vars(it)\n"))
    assert asked(rename, "go", text, facts, ("n.py", "def f(it): return dir(it)\n"))
    given = f"{text}use(A)\n"
    assert asked(rename, "go", given, {**facts, "A@3": of_class()}, ("n.py", "def f(it): return vars(it)\n"))


@pytest.mark.parametrize(
    ("use", "is_asked"),
    [
        ("vars(m.A)", True),
        ("getattr(m.A, word)", True),
        ("getattr(m.A, 'other')", False),
        ("m.A.__dict__", True),
        ("m.A.__doc__", False),
        ("inspect.getmembers(m.A)", True),
        ("isinstance(it, m.A)", False),
    ],
)
@pytest.mark.parametrize("member", ["size.", "size()."])
def test_a_class_that_is_taken_apart_elsewhere(rename: Rename, use: str, is_asked: bool, member: str) -> None:
    body = "size = 1" if member == "size." else "def size(self): pass"
    facts = {"!A": of_class(), "A@2": of_class(), "!size": of_class(member), "size@2": of_class(member)}
    files = {
        "m.py": (f"class A:\n    {body}\nprint(A().size)\n", facts),
        "n.py": (f"kept = {use}\n", {"A": of_class()}),
    }
    found = rename("size", files)
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"name_as_data"}) if is_asked else (OK, set()))


@pytest.mark.slow
@pytest.mark.parametrize("member", ["size.", "size()."])
def test_what_makes_or_decorates_a_class_may_read_all_of_its_body(rename: Rename, member: str) -> None:
    body = "size = 1" if member == "size." else "def size(self): pass"
    facts = {"!A": of_class(), "A@2": of_class(), "!size": of_class(member), "size@2": of_class(member)}
    for head in ("@collect\nclass A:", "class A(metaclass=Meta):"):
        assert asked(rename, "size", f"{head}\n    {body}\nprint(A().size)\n", facts)
    inherited = f"class B(metaclass=Meta): pass\nclass A(B):\n    {body}\nprint(A().size)\n"
    assert asked(rename, "size", inherited, {**facts, "!B": "`m`/B#", "B@2": "`m`/B#"})


@pytest.mark.parametrize(
    ("body", "use", "is_asked"),
    [
        ("    def of(cls, given): return cls(**given)\n", "", True),
        ("    def of(cls, given): return cls(1)\n", "", False),
        ("", "load(A)\n", True),
        ("", "isinstance(it, A)\n", False),
    ],
)
def test_rows_that_are_made_of_names_by_others(rename: Rename, body: str, use: str, is_asked: bool) -> None:
    text = f"@dataclass\nclass A:\n    size: int = 1\n{body}print(A().size)\n{use}"
    assert asked(rename, "size", text, {**VALUE, **({"A@3": of_class()} if use else {})}) == is_asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "is_asked"), [("get_type_hints(it)", True), ("it.__annotations__", True), ("it", False)]
)
def test_types_of_members_that_others_read(rename: Rename, word: str, is_asked: bool) -> None:
    more = ("n.py", f"def f(it): return {word}\n")
    assert asked(rename, "size", "class A:\n    size: int = 1\nprint(A().size)\n", VALUE, more) == is_asked
    assert not asked(rename, "size", "class A:\n    size = 1\nprint(A().size)\n", VALUE, more)


FIELD = "class F:\n    def __set_name__(self, owner, name): self.name = name\n"


@pytest.mark.parametrize(
    ("more", "facts", "is_asked"),
    [
        (FIELD, {"!F@2": "`m`/F#", "F": "`m`/F#"}, True),
        (f"{FIELD}class G(F): pass\n", {"!F@3": "`m`/F#", "F@2": "`m`/F#", "!G": "`m`/G#"}, True),
        ("class F: pass\n", {"!F@2": "`m`/F#", "F": "`m`/F#"}, False),
        ("", {"F": "scip-python python python-stdlib 3.11 itertools/count#"}, False),
        ("", {"F": "scip-python python others 1 `others`/F#"}, True),
        ("", {}, True),
    ],
)
def test_a_value_that_is_told_the_name_of_its_member(rename: Rename, more: str, facts: Words, is_asked: bool) -> None:
    called = "G" if "class G" in more else "F"
    text = f"class A:\n    size = {called}()\nprint(A().size)\n{more}"
    if called == "G":
        facts = {"!F": "`m`/F#", "F@2": "`m`/F#", "G": "`m`/G#", "!G@2": "`m`/G#"}
    assert asked(rename, "size", text, VALUE | facts) == is_asked


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("class A:\n    size = F() if word else None\n", True),
        ("class A:\n    size, other = F(), F()\n", True),
        ("class A:\n    size = [F()]\n", True),
        ("class A:\n    size = F() + 1\n", False),
        ("class A:\n    size = it\nit = F()\n", True),
        ("class A:\n    size = it\nit = 1\n", False),
    ],
)
def test_a_value_that_may_be_told_the_name_of_its_member(rename: Rename, text: str, is_asked: bool) -> None:
    facts = {"it": "`m`/it.", "!it@2": "`m`/it."} if "it" in text.split() else {}
    facts |= {"!A": of_class(), "A@2": of_class(), "!size": of_class("size."), "size@2": of_class("size.")}
    assert asked(rename, "size", f"{text}print(A().size)\n", facts) == is_asked


@pytest.mark.slow
def test_a_module_that_is_given_to_others(rename: Rename) -> None:
    files: dict[str, tuple[str, Words]] = {
        "m.py": ("DEBUG = 1\nprint(DEBUG)\n", {"!DEBUG": "`m`/DEBUG.", "DEBUG@2": "`m`/DEBUG."}),
        "n.py": ("import m\nload(m)\n", {"m": "`m`/__init__:", "m@2": "`m`/__init__:"}),
    }
    assert why(rename("DEBUG", files)) == {"name_as_data"}
    files["n.py"] = ("import m\nreload(m)\n", {"m": "`m`/__init__:", "m@2": "`m`/__init__:"})
    assert rename("DEBUG", files).status == OK


@pytest.mark.parametrize(
    ("use", "is_asked"),
    [
        ("import m\nprint(vars(m))\n", True),
        ("import m as other\nprint(dir(other))\n", True),
        ("from inspect import getmembers\nimport m\nprint(getmembers(m))\n", True),
        ("import m\nprint([each for each in dir(m) if each.startswith('do_')])\n", False),
        ("import m\nprint([each for each in dir(m) if each.startswith('g')])\n", True),
        ("print(getattr(__import__(word), other))\n", True),
        ("import m\nprint(getattr(m, word))\n", True),
        ("import m\nprint(getattr(m, 'other'))\n", False),
        ("import m\nprint(m.__dict__)\n", True),
        ("import m\nprint(m)\n", False),
        ("from importlib import import_module\nprint(getattr(import_module(word), other))\n", True),
        ("from importlib import import_module\nprint(getattr(import_module(word), 'other'))\n", False),
    ],
)
def test_a_module_whose_names_another_file_reads(rename: Rename, use: str, is_asked: bool) -> None:
    facts = {"!go": "`m`/go().", "go@2": "`m`/go()."}
    assert asked(rename, "go", "def go(): pass\ngo()\n", facts, ("n.py", use)) == is_asked


CLASS = {"!A": of_class(), "A@2": of_class()}


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("class A:\n    def f(self): return table[type(self).__name__]\nA()\n", True),
        ("class A:\n    def __repr__(self): return type(self).__name__\nA()\n", False),
        ("class A:\n    def f(self): raise E(type(self).__name__)\nA()\n", False),
        ("class A: pass\nA()\nclass B:\n    def f(self): return table[self.__class__.__name__]\n", False),
        ("class A: pass\nA()\ndef f(it): return table[type(it).__name__]\n", True),
        ("class A: pass\nA()\ndef f(it): return table[it.__name__]\n", False),
        ("class A: pass\nkept = A\ndef f(it): return table[it.__name__]\n", True),
        ("class A: pass\nA()\nall = {each.__name__: each for each in B.__subclasses__()}\n", True),
        ("class A: pass\nprint(A.__name__)\n", False),
        ("class A: pass\ntable[A.__qualname__]\n", True),
        ("class A: pass\nA()\nif __name__ == '__main__': pass\n", False),
    ],
)
def test_a_class_that_is_asked_for_its_name(rename: Rename, text: str, is_asked: bool) -> None:
    assert asked(rename, "A", text, CLASS) == is_asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("other", "is_asked"),
    [
        ("def put(it): table[it.__name__] = it\n", True),
        ("def put(it): raise Error(it.__name__)\n", False),
        ("def put(it): pass\n", False),
    ],
)
def test_who_is_given_a_class_may_ask_for_its_name(rename: Rename, other: str, is_asked: bool) -> None:
    text = "class A: pass\nkept = [A]\n"
    assert asked(rename, "A", text, CLASS, ("n.py", other)) == is_asked
    assert not asked(rename, "A", "class A: pass\nA()\n", CLASS, ("n.py", other))


@pytest.mark.parametrize(
    ("name", "use", "is_asked"),
    [
        ("size", "getattr(it, word)", True),
        ("size", "getattr(B, word)", False),
        ("size", "attrgetter(word)", True),
        ("size", "attrgetter('other')", False),
        ("size", "methodcaller(word)", True),
        ("_size", "getattr(it, word)", False),
    ],
)
def test_a_member_that_is_asked_for_by_a_word(rename: Rename, name: str, use: str, is_asked: bool) -> None:
    member = of_class(f"{name}.")
    facts = {"!A": of_class(), "A@2": of_class(), f"!{name}": member, f"{name}@2": member}
    text = f"class A:\n    def __init__(self): self.{name} = 1\nprint(A().{name})\n"
    files = {
        "m.py": (text, facts),
        "n.py": (f"def f(it, word):\n    return {use}\n", {"B": "`n`/B#"} if "B" in use else {}),
    }
    found = rename(name, files)
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"name_as_data"}) if is_asked else (OK, set()))


@pytest.mark.parametrize(
    ("use", "is_asked"),
    [("it.co_name", True), ("print(it.co_name)", False), ("inspect.stack()[1].function", True), ("it.other", False)],
)
def test_a_function_whose_code_is_asked_for_its_name(rename: Rename, use: str, is_asked: bool) -> None:
    facts = {"!go": "`m`/go().", "go@2": "`m`/go()."}
    text = "def go(): pass\ngo()\n"
    assert asked(rename, "go", text, facts, ("n.py", f"kept = {use}\n")) == is_asked


@pytest.mark.parametrize(
    ("use", "is_asked"),
    [
        ("globals()[word]", True),
        ("globals()['other']", False),
        ("eval(word)", True),
        ("exec(f'{word}()')", True),
        ("eval('1 + 1')", False),
        ("model.eval()", False),
    ],
)
def test_a_module_that_reads_its_own_names(rename: Rename, use: str, is_asked: bool) -> None:
    assert asked(rename, "A", f"class A: pass\nA()\nprint({use})\n", CLASS) == is_asked


@pytest.mark.parametrize(
    ("use", "other", "is_asked"),
    [
        ("put(inner)", "table[it.__name__] = it", True),
        ("put(key=inner)", "table[it.__name__] = it", True),
        ("map(inner, [])", "table[it.__name__] = it", False),
        ("inner()", "table[it.__name__] = it", False),
        ("put(inner)", "raise Error(it.__name__)", False),
        ("put(inner)", "table[type(it).__name__] = it", False),
    ],
)
def test_a_local_function_that_is_given_to_others(rename: Rename, use: str, other: str, is_asked: bool) -> None:
    text = f"def outer():\n    def inner(): pass\n    {use}\n"
    files: dict[str, tuple[str, Words]] = {"m.py": (text, {}), "n.py": (f"def put(it):\n    {other}\n", {})}
    assert (rename("inner", files).status == OK_SYNTACTIC) != is_asked


@pytest.mark.slow
def test_a_local_class_whose_objects_are_asked_elsewhere(rename: Rename) -> None:
    files: dict[str, tuple[str, Words]] = {
        "m.py": ("def outer():\n    class Inner: pass\n    return Inner()\n", {}),
        "n.py": ("def put(it): table[type(it).__name__] = it\n", {}),
    }
    assert rename("Inner", files).status != OK_SYNTACTIC
    files["n.py"] = ("def put(it): table[it.__name__] = it\n", {})
    assert rename("Inner", files).status == OK_SYNTACTIC
