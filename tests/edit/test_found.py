"""What renames in real projects got wrong, or asked for without need."""

import pytest

from cairn.edit.values import NEEDS_DECISION, OK, OK_SYNTACTIC, REFUSED
from tests.edit.samples import Rename, Words, lines, why

pytestmark = [pytest.mark.requirement("GATE.1"), pytest.mark.sampled]


STORE = "def save(path, mode):\n    return path\n"
STORE_FACTS = {
    "!save": "`m`/save().",
    "!path": "`m`/save().(path)",
    "path@2": "`m`/save().(path)",
    "!mode": "`m`/save().(mode)",
}


def test_a_parameter_that_a_framework_may_fill_by_its_name_is_asked_about(rename: Rename) -> None:
    found = rename("path", {"m.py": (STORE, STORE_FACTS)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"unseen_caller"})


def test_the_name_of_a_parameter_elsewhere_means_nothing_when_every_call_is_plain(rename: Rename) -> None:
    calls = "from m import save\nsave(1, 2)\nopen(path=3)\nkinds = ['path']\n"
    facts = {"save": "`m`/save().", "save@2": "`m`/save()."}
    found = rename("path", {"m.py": (STORE, STORE_FACTS), "n.py": (calls, facts)})
    assert (found.status, lines(found)) == (OK, [("m.py", 1), ("m.py", 2)])


def test_a_keyword_that_the_index_knows_is_changed_with_the_parameter(rename: Rename) -> None:
    calls = "from m import save\nsave(path=1, mode=2)\n"
    facts = {"save": "`m`/save().", "save@2": "`m`/save().", "path": "`m`/save().(path)"}
    found = rename("path", {"m.py": (STORE, STORE_FACTS), "n.py": (calls, facts)})
    assert (found.status, lines(found)) == (OK, [("m.py", 1), ("m.py", 2), ("n.py", 2)])


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        ("register(save)", "handed_on"),
        ("writer = save", "handed_on"),
        ("from m import save as store", "handed_on"),
        ("table = {'a': save}", "handed_on"),
        ("save(**{'path': 1})", "name_as_text"),
        ("given = dict(path=1); save(**given)", "keyword_argument"),
    ],
)
def test_a_function_that_others_call_or_that_is_given_names_keeps_its_parameters(
    rename: Rename, use: str, reason: str
) -> None:
    calls = f"from m import save\n{use}\n"
    facts = {"save": "`m`/save().", "save@2": "`m`/save()."}
    found = rename("path", {"m.py": (STORE, STORE_FACTS), "n.py": (calls, facts)})
    assert found.status == NEEDS_DECISION
    assert reason in why(found)


def test_a_call_of_something_unknown_by_the_functions_name_leaves_its_keywords_open(rename: Rename) -> None:
    calls = "from m import save\nsave(1, 2)\ndef run(it): it.save(path=1)\n"
    facts = {"save": "`m`/save().", "save@2": "`m`/save()."}
    found = rename("path", {"m.py": (STORE, STORE_FACTS), "n.py": (calls, facts)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"keyword_argument"})


@pytest.mark.slow
def test_a_decorator_that_nobody_knows_may_name_the_parameters(rename: Rename) -> None:
    facts = {**STORE_FACTS, "save@2": "`m`/save()."}
    found = rename("path", {"m.py": (f"@option('--path-of')\n{STORE}save(1, 2)\n", facts)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"decorated", "name_as_text"})


def test_a_constructor_is_called_under_many_names(rename: Rename) -> None:
    text = (
        "class A:\n    def __init__(self, size): self._size = size\n"
        "class B(A):\n    def __init__(self, **given): super().__init__(**given)\n"
        "A(1)\nB(size=2)\n"
    )
    init = "`m`/A#__init__()."
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", "A@3": "`m`/A#", "!B": "`m`/B#", "B@2": "`m`/B#"}
    facts |= {"!__init__": init, "__init__@3": init, "!size": f"{init}(size)", "size@2": f"{init}(size)"}
    assert why(rename("size", {"m.py": (text, facts)})) == {"keyword_argument"}


def test_a_keyword_of_an_overridden_method_reaches_the_overriding_one(rename: Rename) -> None:
    text = (
        "class A:\n    def put(self, key):\n        return key\n"
        "class B(A):\n    def put(self, key):\n        return key\n"
        "def run(it: A):\n    it.put(key=1)\n"
    )
    a, b = "`m`/A#put().", "`m`/B#put()."
    facts = {
        "!A": "`m`/A#",
        "!B": "`m`/B#",
        "A@2": "`m`/A#",
        "A@3": "`m`/A#",
        "!put": a,
        "!put@2": b,
        "put@3": a,
        "!key": f"{a}(key)",
        "key@2": f"{a}(key)",
        "!key@3": f"{b}(key)",
        "key@4": f"{b}(key)",
        "key@5": f"{a}(key)",
    }
    found = rename("key@3", {"m.py": (text, facts)}, overrides=((b, a),))
    assert found.status == NEEDS_DECISION
    assert why(found) == {"keyword_argument", "overridden"}


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def f(it):\n        return it\n",
        "class A:\n    @classmethod\n    def f(it):\n        return it\n",
        "def f(*it):\n    return it\n",
        "def f(**it: int):\n    return it\n",
        "def f(it, /, other):\n    return it\n",
    ],
)
def test_what_no_caller_can_name_is_proven_by_its_scope(rename: Rename, text: str) -> None:
    other = "'it'\nprint(it=1)\n"
    found = rename("it", {"m.py": (text, {}), "n.py": (other, {})})
    assert (found.status, len(found.spots)) == (OK_SYNTACTIC, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["class A:\n    @staticmethod\n    def f(it):\n        return it\n", "def f(it): it\n"]
)
def test_what_a_caller_can_name_is_not(rename: Rename, text: str) -> None:
    assert rename("it", {"m.py": (text, {})}).status != OK_SYNTACTIC


def test_the_parameter_of_a_lambda_can_be_named_in_its_file(rename: Rename) -> None:
    text = "f = lambda x: x\nf(x=1)\n"
    facts = {"!f": "`m`/f.", "f@2": "`m`/f.", "!x": "local 0(x)", "x@2": "local 0(x)"}
    assert why(rename("x", {"m.py": (text, facts)})) == {"keyword_argument"}


@pytest.mark.slow
def test_a_function_in_a_function_that_is_registered_is_not_local_alone(rename: Rename) -> None:
    text = "def test():\n    @command()\n    def copy(): pass\n    run(copy, ['copy'])\n"
    facts = {"!test": "`m`/test().", "!copy": "`m`/test().copy().", "copy@2": "`m`/test().copy()."}
    found = rename("copy", {"m.py": (text, facts)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"decorated", "name_as_text"})


@pytest.mark.slow
def test_one_symbol_for_two_functions_in_two_methods_is_asked_about(rename: Rename) -> None:
    text = (
        "class A:\n"
        "    def one(self):\n        def inner(a): return a\n        return inner(1)\n"
        "    def two(self):\n        def inner(a): return a\n        return inner(1)\n"
    )
    inner = "`m`/A#inner()."
    facts = {"!inner": inner, "inner@2": inner, "!inner@3": inner, "inner@4": inner}
    facts |= {"!a": f"{inner}(a)", "a@2": f"{inner}(a)", "!a@3": f"{inner}(a)", "a@4": f"{inner}(a)"}
    found = rename("a", {"m.py": (text, facts)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"shared_symbol"})


VISIT = "`m`/V#visit_Name()."
VISITED = ("from m import V\nV().visit_Name()\n", {"visit_Name": VISIT})


@pytest.mark.parametrize(
    "made", ['f"visit_{kind}"', '"visit_" + kind', '"visit_%s" % kind', "'{}_Name'.format(kind)", 'kind + "_Name"']
)
def test_a_name_that_may_be_put_together_is_asked_about(rename: Rename, made: str) -> None:
    text = f"class V:\n    def visit_Name(self): pass\n    def run(self, kind):\n        getattr(self, {made})()\n"
    use = "from m import V\nV().visit_Name()\n"
    name = "`m`/V#visit_Name()."
    found = rename(
        "visit_Name", {"m.py": (text, {"!V": "`m`/V#", "!visit_Name": name}), "n.py": (use, {"visit_Name": name})}
    )
    assert (found.status, why(found)) == (NEEDS_DECISION, {"computed_name"})


def test_the_parts_of_a_name_in_other_texts_make_no_name(rename: Rename) -> None:
    text = "class V:\n    def visit_Name(self): pass\nwords = 'visit', 'Name', 'visit_', f'visit {V}'\n"
    use = "from m import V\nV().visit_Name()\n"
    name = "`m`/V#visit_Name()."
    found = rename(
        "visit_Name", {"m.py": (text, {"!V": "`m`/V#", "!visit_Name": name}), "n.py": (use, {"visit_Name": name})}
    )
    assert found.status == OK


def test_a_name_that_an_import_repeats_is_changed_twice(rename: Rename) -> None:
    group = "`m`/Group#"
    found = rename(
        "Group",
        {
            "m.py": ("class Group: pass\n", {"!Group": group}),
            "__init__.py": ("from .m import Group as Group\n", {"Group": group}),
        },
    )
    assert why(found) == {"exported"}
    assert lines(found) == [("__init__.py", 1), ("__init__.py", 1), ("m.py", 1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "name", "status"),
    [("p/__init__.py", "Group", NEEDS_DECISION), ("p/__init__.py", "_Group", OK), ("p/other.py", "Group", OK)],
)
def test_a_name_that_a_whole_package_shows_is_asked_about(rename: Rename, path: str, name: str, status: str) -> None:
    files = {
        "p/m.py": (f"class {name}: pass\n", {f"!{name}": f"`p.m`/{name}#"}),
        path: (f"from .m import {name}\n", {name: f"`p.m`/{name}#"}),
    }
    found = rename(name, files)
    assert (found.status, "exported" in why(found)) == (status, status != OK)


@pytest.mark.parametrize(
    ("said", "is_open"),
    [
        ("'{{ loop.index }}'", True),
        ("'{% if index %}'", True),
        ("'{index}: {}'", True),
        ("'%(index)s of'", True),
        ("'import m; m.index()'", True),
        ("'at = loop.index'", True),
        ("'from m import index'", True),
        ("'see loop.index() here'", False),
        ("'the index here'", False),
        ("'of the index.'", False),
    ],
)
def test_a_member_that_a_template_or_format_names_is_open(rename: Rename, said: str, is_open: bool) -> None:
    text = "class Loop:\n    def index(self): pass\nLoop().index()\n"
    member = "`m`/Loop#index()."
    facts = {"!Loop": "`m`/Loop#", "Loop@2": "`m`/Loop#", "!index": member, "index@2": member}
    found = rename("index", {"m.py": (f"{text}said = {said}\n", facts)})
    assert (found.status == NEEDS_DECISION) is is_open
    assert len(found.mentions) == (not is_open)


def test_documentation_is_prose(rename: Rename) -> None:
    text = 'class Loop:\n    """See loop.index, and {index}."""\n    def index(self): pass\nLoop().index()\n'
    member = "`m`/Loop#index()."
    found = rename(
        "index@3",
        {"m.py": (text, {"!Loop": "`m`/Loop#", "Loop@2": "`m`/Loop#", "!index@3": member, "index@4": member})},
    )
    assert (found.status, len(found.mentions)) == (OK, 2)


@pytest.mark.slow
def test_the_letter_of_an_escape_is_no_name(rename: Rename) -> None:
    text = "class A:\n    def n(self): pass\nA().n()\nend = '\\n'\n"
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", "!n": "`m`/A#n().", "n@2": "`m`/A#n()."}
    assert rename("n", {"m.py": (text, facts)}).status == OK


PRINT = "scip-python python python-stdlib 3.11 builtins/print()."
NAMESPACE = "scip-python python python-stdlib 3.11 types/SimpleNamespace#"


@pytest.mark.parametrize("body", ["    def __init__(self): self.size = 1\n", "    size: int = 1\n"])
@pytest.mark.parametrize(
    ("use", "called", "is_asked"),
    [
        ("draw(size=2)", {}, True),
        ("print(size=2)", {"print@2": PRINT}, False),
        ("SimpleNamespace(size=2)", {"SimpleNamespace": NAMESPACE}, True),
        ("it.print(size=2)", {"print@2": PRINT.replace("print", "str#format")}, True),
        ("match it:\n    case A(size=2): pass", {"A@3": "`m`/A#"}, True),
    ],
)
def test_a_keyword_may_name_a_member_of_what_is_made_or_matched(
    rename: Rename, body: str, use: str, called: Words, is_asked: bool
) -> None:
    text = f"class A:\n{body}print(A().size)\n{use}\n"
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", "!size": "`m`/A#size.", "size@2": "`m`/A#size."}
    found = rename("size", {"m.py": (text, facts | called)})
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"keyword_argument"}) if is_asked else (OK, set()))


@pytest.mark.slow
def test_a_private_name_that_is_used_from_outside_in_its_full_form_is_asked_about(rename: Rename) -> None:
    text = "class A:\n    def __init__(self): self.__x = 1\n    def f(self): return self.__x\nprint(A()._A__x)\n"
    facts = {"!A": "`m`/A#", "!__x": "`m`/A#__x.", "__x@2": "`m`/A#__x."}
    assert why(rename("__x", {"m.py": (text, facts)})) == {"computed_name"}
    assert rename("__x", {"m.py": (text.replace("_A__x", "f()"), facts)}).status == OK


def test_a_local_name_that_others_look_for_is_not_local_alone(rename: Rename) -> None:
    assert rename("__tracebackhide__", {"m.py": ("def f():\n    __tracebackhide__ = True\n", {})}).status == REFUSED


@pytest.mark.slow
def test_an_attribute_that_a_class_below_sets_anew_is_changed_with_it(rename: Rename) -> None:
    text = (
        "class A:\n    kind = 1\nclass B(A): pass\nclass C(B):\n    kind = 2\nclass D:\n    kind = 3\nprint(C().kind)\n"
    )
    a, c = "`m`/A#kind.", "`m`/C#kind."
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", "!B": "`m`/B#", "B@2": "`m`/B#", "!C": "`m`/C#", "C@2": "`m`/C#"}
    facts |= {"!D": "`m`/D#", "!kind": a, "!kind@2": c, "!kind@3": "`m`/D#kind.", "kind@4": c}
    for place in ("kind", "kind@2"):
        found = rename(place, {"m.py": (text, facts)})
        assert (why(found), [line for _, line in lines(found)]) == ({"same_member"}, [2, 5, 8])


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    it = 1\n    exec('it')\n    return it\n",
        "def f():\n    it = 1\n    return f'{it=}'\n",
        "def f():\n    it = 1\n    return '{it}'.format(**vars()), it\n",
    ],
)
def test_a_local_name_that_is_asked_for_as_a_text_is_not_proven_by_facts_either(rename: Rename, text: str) -> None:
    found = rename("it", {"m.py": (text, {"!it": "local 0", f"it@{text.count('it')}": "local 0"})})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"asked_by_name"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("m.save(**load())", {"names_passed"}),
        ("save(1, **load())", {"names_passed"}),
        ("m.save(*load())", set()),
        ("save(1, load(**more))", set()),
    ],
)
def test_a_call_that_passes_names_on_may_name_the_parameter(rename: Rename, use: str, expected: set[str]) -> None:
    calls = f"import m\nfrom m import save\nsave(1, 2)\n{use}\n"
    facts = {f"save@{nth}": "`m`/save()." for nth in (1, 2, 3)}
    found = rename("path", {"m.py": (STORE, STORE_FACTS), "n.py": (calls, facts)})
    assert why(found) == expected


@pytest.mark.parametrize(("wrapper", "status"), [("@lru_cache", NEEDS_DECISION), ("@final", OK), ("", OK)])
def test_a_keyword_that_a_wrapper_passes_on_is_asked_about(rename: Rename, wrapper: str, status: str) -> None:
    """The index knows no place of a parameter in a call of what `lru_cache` made."""
    text = f"{wrapper}\ndef fib(num):\n    return num\n"
    facts = {"!fib": "`m`/fib().", "!num": "`m`/fib().(num)", "num@2": "`m`/fib().(num)"}
    named = "num=10" if status != OK else "10"
    calls = (f"from m import fib\nfib({named})\n", {"fib": "`m`/fib().", "fib@2": "`m`/fib()."})
    assert rename("num", {"m.py": (text, facts), "n.py": calls}).status == status


def test_a_keyword_that_names_the_parameter_of_something_else_is_none(rename: Rename) -> None:
    calls = "from m import save\nregister(save)\nfetch(path=1)\n"
    facts = {"save": "`m`/save().", "save@2": "`m`/save().", "path": "`n`/fetch().(path)"}
    found = rename("path", {"m.py": (STORE, STORE_FACTS), "n.py": (calls, facts)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"handed_on"})


def test_the_parameter_of_a_lambda_is_not_named_in_another_file(rename: Rename) -> None:
    text = "f = lambda x: x\nf(1)\n"
    facts = {"!f": "`m`/f.", "f@2": "`m`/f.", "!x": "local 0(x)", "x@2": "local 0(x)"}
    assert rename("x", {"m.py": (text, facts), "n.py": ("call(x=1)\n", {})}).status == OK


def test_a_place_of_its_file_that_the_index_does_not_know_may_be_a_local_name(rename: Rename) -> None:
    text = "f = lambda x: x\nf(1)\ndef g():\n    x = 1\n    return x\n"
    facts = {"!f": "`m`/f.", "f@2": "`m`/f.", "!x": "local 0(x)", "x@2": "local 0(x)"}
    assert why(rename("x", {"m.py": (text, facts)})) == {"unresolved_use"}


@pytest.mark.parametrize(
    ("made", "status"),
    [
        ('f"{kind}_Name"', NEEDS_DECISION),
        ('"%s_Name" % kind', NEEDS_DECISION),
        ('kind + "_Names"', OK),
        ('f"{kind} Name"', OK),
        ('f"{kind}_N"', OK),
    ],
)
def test_the_end_of_a_name_may_be_put_to_something(rename: Rename, made: str, status: str) -> None:
    text = f"class V:\n    def visit_Name(self): pass\n    def run(self, kind): return call({made})\n"
    found = rename("visit_Name", {"m.py": (text, {"!V": "`m`/V#", "!visit_Name": VISIT}), "n.py": VISITED})
    assert (found.status, why(found)) == (status, {"computed_name"} if status == NEEDS_DECISION else set())


def test_the_end_of_a_name_that_is_short_is_in_many_texts(rename: Rename) -> None:
    text = "class V:\n    def visit_x(self): pass\n    def run(self, kind): return call(f'{kind}_x')\n"
    name = "`m`/V#visit_x()."
    files = {
        "m.py": (text, {"!V": "`m`/V#", "!visit_x": name}),
        "n.py": ("from m import V\nV().visit_x()\n", {"visit_x": name}),
    }
    assert rename("visit_x", files).status == OK


def test_a_name_that_an_import_repeats_of_something_else_stays(rename: Rename) -> None:
    group = "`m`/Group#"
    found = rename(
        "Group",
        {
            "m.py": ("class Group: pass\nGroup()\n", {"!Group": group, "Group@2": group}),
            "o.py": ("from x import Group as Group\n", {"Group": "`x`/Group#", "Group@2": "`x`/Group#"}),
        },
    )
    assert (found.status, lines(found)) == (OK, [("m.py", 1), ("m.py", 2)])


@pytest.mark.slow
@pytest.mark.parametrize("base", ["Protocol", "Protocol[T]"])
def test_a_class_of_python_may_fit_a_protocol_by_its_members(rename: Rename, base: str) -> None:
    text = (
        f"class P({base}):\n    def greet(self): ...\nclass A:\n    def greet(self): pass\n"
        "def hello(it: P): it.greet()\nhello(A())\nA().greet()\n"
    )
    p, a = "`m`/P#greet().", "`m`/A#greet()."
    facts = {"!P": "`m`/P#", "!A": "`m`/A#", "!greet": p, "!greet@2": a, "greet@3": p, "greet@4": a}
    for place in ("greet", "greet@2"):
        assert "same_member" in why(rename(place, {"m.py": (text, facts)}))


def test_members_of_classes_that_meet_in_one_below_are_renamed_together(rename: Rename) -> None:
    text = (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class C(A, B): pass\nclass D:\n    def go(self): pass\nC().go()\n"
    )
    a, b = "`m`/A#go().", "`m`/B#go()."
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", "!B": "`m`/B#", "B@2": "`m`/B#", "!C": "`m`/C#", "C@2": "`m`/C#"}
    facts |= {"!D": "`m`/D#", "!go": a, "!go@2": b, "!go@3": "`m`/D#go().", "go@4": a}
    for place in ("go", "go@2"):
        found = rename(place, {"m.py": (text, facts)})
        assert (why(found), [line for _, line in lines(found)]) == ({"same_member"}, [2, 4, 8])


@pytest.mark.parametrize(("base", "expected"), [("(Outside)", {"unknown_base"}), ("", set())])
def test_a_base_of_a_base_that_nobody_knows_may_know_the_name(rename: Rename, base: str, expected: set[str]) -> None:
    text = f"class A{base}: pass\nclass B(A): pass\nclass C(B):\n    def run(self): pass\nC().run()\n"
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", "!B": "`m`/B#", "B@2": "`m`/B#", "!C": "`m`/C#", "C@2": "`m`/C#"}
    found = rename("run", {"m.py": (text, {**facts, "!run": "`m`/C#run().", "run@2": "`m`/C#run()."})})
    assert why(found) == expected


@pytest.mark.parametrize(
    ("other", "name", "use", "is_asked"),
    [
        ("    def ident(self): pass\n", "ident", "for x in (A(), B()): x.ident()", True),
        ("    def __init__(self): self.ident = 1\n", "ident", "A().ident()", True),
        ("    def other(self): pass\n", "ident", "A().ident()", False),
        ("    def _ident(self): pass\n", "_ident", "A()._ident()", True),
        ("    def _ident(self): pass\n", "_ident", "1", False),
    ],
)
def test_another_class_of_python_may_stand_for_one_that_has_a_member_of_the_same_name(
    rename: Rename, other: str, name: str, use: str, is_asked: bool
) -> None:
    text = f"class A:\n    def {name}(self): return self.{name}()\nclass B:\n{other}{use}\n"
    a = f"`m`/A#{name}()."
    facts = {"!A": "`m`/A#", "!B": "`m`/B#", f"!{name}": a, f"{name}@2": a}
    if name in other:
        facts[f"!{name}@3"] = f"`m`/B#{name}()."
    if name in use:
        facts[f"{name}@{text.count(name)}"] = a
    found = rename(name, {"m.py": (text, facts)})
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"same_member"}) if is_asked else (OK, set()))


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "Base = make()\nclass A(Base):\n    def go(self): pass\nA().go()\n",
            {"!Base": "`m`/Base.", "Base@2": "`m`/Base."},
        ),
        (
            "def make(): pass\nclass A(make()):\n    def go(self): pass\nA().go()\n",
            {"!make": "`m`/make().", "make@2": "`m`/make()."},
        ),
    ],
)
def test_a_base_that_a_call_makes_may_know_the_name(rename: Rename, text: str, facts: Words) -> None:
    own = {"!A": "`m`/A#", "A@2": "`m`/A#", "!go": "`m`/A#go().", "go@2": "`m`/A#go()."}
    found = rename("go", {"m.py": (text, facts | own)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"unknown_base"})


def test_the_parameters_of_an_exception_are_its_own(rename: Rename) -> None:
    text = "class E(Exception):\n    def __init__(self, size): self.kept = size\nE(1)\n"
    base = "scip-python python python-stdlib 3.11 builtins/Exception#"
    init = "`m`/E#__init__()."
    facts = {"!E": "`m`/E#", "Exception": base, "!__init__": init, "!size": f"{init}(size)", "size@2": f"{init}(size)"}
    assert "unknown_base" not in why(rename("size", {"m.py": (text, facts | {"E@2": "`m`/E#"})}))


@pytest.mark.parametrize(
    ("use", "status"), [("it.fresh()", OK), ("print(it.fresh)", OK), ("m.fresh = 1", REFUSED), ("fresh()", REFUSED)]
)
def test_a_member_of_something_is_no_conflict_for_what_is_none(rename: Rename, use: str, status: str) -> None:
    take = "`m`/take()."
    found = rename(
        "take",
        {
            "m.py": ("def take(): pass\ntake()\n", {"!take": take, "take@2": take}),
            "n.py": (f"def f(it, m):\n    {use}\n", {}),
        },
    )
    assert found.status == status


@pytest.mark.parametrize(
    ("use", "status"),
    [("patch.multiple(m, take=1)", NEEDS_DECISION), ("vars(it).update(take=1)", NEEDS_DECISION), ("draw(take=1)", OK)],
)
def test_a_keyword_may_give_a_module_another_value(rename: Rename, use: str, status: str) -> None:
    take = "`m`/take()."
    files: dict[str, tuple[str, Words]] = {
        "m.py": ("def take(): pass\ntake()\n", {"!take": take, "take@2": take}),
        "n.py": (f"{use}\n", {}),
    }
    assert rename("take", files).status == status


@pytest.mark.parametrize("head", ["B if word else C", "*bases"])
def test_a_base_that_is_no_name_may_know_it(rename: Rename, head: str) -> None:
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", "!go": "`m`/A#go().", "go@2": "`m`/A#go()."}
    found = rename("go", {"m.py": (f"class A({head}):\n    def go(self): pass\nA().go()\n", facts)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"unknown_base"})


@pytest.mark.parametrize(("base", "is_asked"), [("Exception", False), ("list", True)])
def test_a_new_name_that_a_base_has_already_is_asked_about(rename: Rename, base: str, is_asked: bool) -> None:
    symbol = f"scip-python python python-stdlib 3.11 builtins/{base}#"
    facts = {"!A": "`m`/A#", base: symbol, "A@2": "`m`/A#", "!go": "`m`/A#go().", "go@2": "`m`/A#go()."}
    text = f"class A({base}):\n    def go(self): pass\nA().go()\n"
    found = rename("go", {"m.py": (text, facts)}, new="sort")
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"unknown_base"}) if is_asked else (OK, set()))


@pytest.mark.parametrize(("new", "is_asked"), [("check_all", True), ("test_more", False)])
def test_what_test_runners_look_for_keeps_how_it_begins(rename: Rename, new: str, is_asked: bool) -> None:
    facts = {"!test_all": "`m`/test_all().", "test_all@2": "`m`/test_all()."}
    found = rename("test_all", {"m.py": ("def test_all(): pass\ntest_all()\n", facts)}, new=new)
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"special_name"}) if is_asked else (OK, set()))


def test_what_a_stub_declares_is_made_elsewhere(rename: Rename) -> None:
    facts = {"!go": "`m`/go().", "go": "`m`/go()."}
    files = {
        "n.py": ("from m import go\ngo()\n", {"go": "`m`/go().", "go@2": "`m`/go()."}),
        "m.pyi": ("def go(): ...\n", facts),
    }
    assert "declared" in why(rename("go", files))


@pytest.mark.parametrize(
    ("method", "call", "is_asked"),
    [("__call__", "A()(1)", True), ("__init_subclass__", "A()", True), ("__exit__", "A()", False)],
)
def test_some_special_methods_are_called_with_names(rename: Rename, method: str, call: str, is_asked: bool) -> None:
    owner = f"`m`/A#{method}()."
    text = f"class A:\n    def {method}(self, size): return size\n{call}\n"
    facts = {
        "!A": "`m`/A#",
        "A@2": "`m`/A#",
        f"!{method}": owner,
        "!size": f"{owner}(size)",
        "size@2": f"{owner}(size)",
    }
    assert ("unseen_caller" in why(rename("size", {"m.py": (text, facts)}))) == is_asked
