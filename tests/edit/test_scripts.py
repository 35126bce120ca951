"""Renames in JavaScript and TypeScript: what follows, what is asked about, and what needs no question."""

from collections.abc import Mapping

import pytest

from cairn.edit.source.texts import rewritten
from cairn.edit.source.values import AS_KEY, AS_VALUE, NEEDS_DECISION, OK, OK_SYNTACTIC, EditDraft
from tests.edit.samples import Rename, Words, lines, why

pytestmark = [pytest.mark.requirement("GATE.1"), pytest.mark.sampled]

EXPORTS = "function run() {}\nrun()\nmodule.exports = { run }\n"
SCRIPT = "scip-typescript npm x 0 "
RUN, RUN_KEY = f"{SCRIPT}`m.js`/run().", f"{SCRIPT}`m.js`/run0:"
TAKE = f"{SCRIPT}`src/lib.ts`/take()."


@pytest.mark.slow
@pytest.mark.parametrize("text", ["declare global {\n  interface Store { a: number }\n}\nlet it: Store\n"])
def test_what_is_only_declared_belongs_to_somebody_else(rename: Rename, text: str) -> None:
    store = "`m.ts`/global/Store#"
    facts = {"!Store": store, "Store@2": store}
    assert rename("Store", {"m.ts": (text, facts)}).status == NEEDS_DECISION


@pytest.mark.parametrize(("path", "word"), [("m.ts", "declare"), ("m.d.ts", "declare"), ("m.ts", "")])
def test_a_function_that_is_only_declared_is_made_elsewhere(rename: Rename, path: str, word: str) -> None:
    take = f"{SCRIPT}`{path}`/take()."
    text = f"export {word} function take(): number\n"
    found = rename("take", {path: (text, {"!take": take})})
    assert ("declared" in {each.kind for each in found.constructs}) is bool(word)


def test_what_a_namespace_exports_is_not_local(rename: Rename) -> None:
    text = "namespace N {\n  export const size = 1\n  const own = size\n}\nN.size\n"
    size = "`m.ts`/N/size."
    found = rename("size", {"m.ts": (text, {"!size": size, "size@2": size, "size@3": size})})
    assert (found.status, lines(found)) == (OK, [("m.ts", 2), ("m.ts", 3), ("m.ts", 5)])


def test_what_an_exported_function_binds_is(rename: Rename) -> None:
    found = rename("x", {"m.ts": ("export function f() {\n  const x = 1\n  return x\n}\n", {})})
    assert (found.status, len(found.spots)) == (OK_SYNTACTIC, 2)


@pytest.mark.slow
def test_a_place_that_names_members_of_several_classes_is_open(rename: Rename) -> None:
    text = "class A { size = 1 }\nclass B { size = 2 }\nfunction f(it: A | B) { return it.size }\n"
    found = rename("size", {"m.ts": (text, {})})
    assert (found.status, lines(found), [each.line for each in found.opened]) == (NEEDS_DECISION, [("m.ts", 1)], [3])


@pytest.mark.slow
def test_a_class_is_written_where_its_constructor_is_meant(rename: Rename) -> None:
    text = "class Store {\n  constructor() {}\n}\nexport const one = new Store()\n"
    store = "`m.ts`/Store#"
    facts = {"!Store": store, "!constructor": f"{store}`<constructor>`().", "Store@2": f"{store}`<constructor>`()."}
    for place in ("Store", "Store@2"):
        found = rename(place, {"m.ts": (text, facts)})
        assert (found.status, [line for _, line in lines(found)]) == (OK, [1, 4])


@pytest.mark.slow
def test_a_class_and_a_namespace_of_one_name_are_one(rename: Rename) -> None:
    text = "export namespace Store { export type Kind = 1 }\nexport class Store {}\nlet it: Store.Kind\nnew Store()\n"
    module, store = "`m.ts`/Store/", "`m.ts`/Store#"
    facts = {"!Store": module, "!Store@2": store, "Store@3": module, "Store@4": store}
    for place in ("Store", "Store@2", "Store@4"):
        found = rename(place, {"m.ts": (text, facts)})
        assert (found.status, [line for _, line in lines(found)]) == (OK, [1, 2, 3, 4])


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"size@3 ": "`n.ts`/size."}])
def test_a_property_of_a_type_that_has_no_name_is_a_key(rename: Rename, more: Words) -> None:
    """An index may tell of the key alone where a name is a key and its value in one."""
    text = "import { size } from './n'\nexport const all: { size: number } = {\n  size\n}\nall.size\n"
    key = "`m.ts`/all.typeLiteral0:size."
    facts = {"size": "`n.ts`/size.", "!size@2": key, "size@3": key, "size@4": key} | more
    n = ("export const size = 1\n", {"!size": "`n.ts`/size."})
    found = rename("size@2", {"m.ts": (text, facts), "n.ts": n})
    assert [(spot.line, spot.form) for spot in found.spots] == [(2, ""), (3, AS_KEY), (5, "")]
    found = rename("size", {"m.ts": (text, facts), "n.ts": n})
    assert [(spot.line, spot.form) for spot in found.spots if spot.path == "m.ts"] == [(1, ""), (3, AS_VALUE)]


@pytest.mark.parametrize(("written", "is_asked"), [("", True), ("private ", False)])
def test_types_that_may_stand_for_each_other_are_asked_about(rename: Rename, written: str, is_asked: bool) -> None:
    text = (
        f"class A {{ {written}size = 1; f() {{ return this.size }} }}\nconst one = {{ size: 2 }}\nexport {{ A, one }}\n"
    )
    a = "`m.ts`/A#size."
    facts = {"!size": a, "size@2": a, "!size@3": "`m.ts`/size0:"}
    facts = {word: f"scip-typescript npm x 0 {symbol}" for word, symbol in facts.items()}
    assert why(rename("size", {"m.ts": (text, facts)})) == ({"keyword_argument"} if is_asked else set())


def test_a_key_whose_value_alone_is_known_may_be_the_member(rename: Rename) -> None:
    text = "class A { size = 1; f() { return this.size } }\nfunction f(size: number) { return { size } }\n"
    a, local = "`m.ts`/A#size.", "local 1"
    found = rename("size", {"m.ts": (text, {"!size": a, "size@2": a, "!size@3": local, "size@4": local})})
    assert why(found) == {"unresolved_use"}


def test_a_decorator_of_a_local_class_may_ask_for_its_name(rename: Rename) -> None:
    text = "function f() {\n  @register class Kind {}\n  return new Kind()\n}\n"
    found = rename("Kind", {"m.ts": (text, {"!Kind": "local 0", "Kind@2": "local 0"})})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"asked_by_name"})


def test_a_class_and_the_interface_that_it_implements_keep_their_own_names(rename: Rename) -> None:
    text = "interface Shape { area(): number }\nclass Box implements Shape { area() { return 1 } }\nnew Box()\n"
    shape, box = "`m.ts`/Shape#", "`m.ts`/Box#"
    facts = {"!Shape": shape, "Shape@2": shape, "!Box": box, "Box@2": box}
    found = rename("Box", {"m.ts": (text, facts)}, overrides=((box, shape),))
    assert (found.status, lines(found)) == (OK, [("m.ts", 2), ("m.ts", 3)])


@pytest.mark.parametrize(("written", "is_asked"), [("readonly ", True), ("", False)])
def test_a_parameter_that_makes_a_member_may_be_the_one_that_an_interface_asks_for(
    rename: Rename, written: str, is_asked: bool
) -> None:
    text = (
        "interface E { id: number }\nfunction f(it: E) { return it.id }\n"
        f"class U {{ constructor({written}id: number) {{}} }}\n"
    )
    head = "scip-typescript npm x 0 "
    member = f"{head}`m.ts`/E#id."
    facts = {"!id": member, "id@2": member, "!id@3": f"{head}`m.ts`/U#`<constructor>`().(id)"}
    assert ("same_member" in why(rename("id", {"m.ts": (text, facts)}))) == is_asked


def test_an_interface_of_another_name_outside_of_the_tree_does_not_keep_a_class_from_its_new_name(
    rename: Rename,
) -> None:
    text = "import { Shape } from 'other'\nclass Box implements Shape {}\nnew Box()\n"
    shape, box = "scip-typescript npm other 1 `o.ts`/Shape#", "`m.ts`/Box#"
    facts = {"Shape": shape, "Shape@2": shape, "!Box": box, "Box@2": box}
    assert rename("Box", {"m.ts": (text, facts)}, overrides=((box, shape),)).status == OK


def test_a_key_that_goes_with_its_value_is_written_as_one(rename: Rename) -> None:
    facts = {"!run": RUN, "run@2": RUN, "run@3": RUN, "!run@3": RUN_KEY}
    found = rename("run", {"m.js": (EXPORTS, facts), "n.js": ("const m = require('./m')\nm.run()\n", {"run": RUN_KEY})})
    assert (found.status, lines(found)) == (OK, [("m.js", 1), ("m.js", 2), ("m.js", 3), ("n.js", 2)])
    assert {spot.form for spot in found.spots} == {""}


def test_what_is_taken_out_of_a_module_by_a_key_that_goes_with_it_is_renamed_too(rename: Rename) -> None:
    facts = {"!run": RUN, "run@2": RUN, "run@3": RUN, "!run@3": RUN_KEY}
    taken = {"run": RUN_KEY, "!run": "local 1", "run@2": RUN}
    found = rename("run", {"m.js": (EXPORTS, facts), "n.js": ("const { run } = require('./m')\nrun()\n", taken)})
    assert (found.status, {spot.form for spot in found.spots}) == (OK, {""})
    assert lines(found)[3:] == [("n.js", 1), ("n.js", 2)]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "is_asked"), [("'./m'", True), ("'./other'", False)])
def test_an_object_may_stand_in_for_a_module_that_a_call_names(rename: Rename, module: str, is_asked: bool) -> None:
    load = f"{SCRIPT}`m.ts`/load()."
    text = f"vi.mock({module}, () => ({{ load: () => 1 }}))\n"
    found = rename(
        "load",
        {
            "m.ts": ("export function load() {}\nload()\n", {"!load": load, "load@2": load}),
            "n.ts": (text, {}),
        },
    )
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"name_as_text"}) if is_asked else (OK, set()))


@pytest.mark.slow
def test_an_object_may_stand_for_an_interface_by_a_key_that_is_taken_for_local(rename: Rename) -> None:
    go = f"{SCRIPT}`m.ts`/P#go()."
    text = "export interface P { go(): number }\nexport const f = (p: P) => p.go()\nconst o = { go() {} }\nf(o)\n"
    found = rename("go", {"m.ts": (text, {"!go": go, "go@2": go, "!go@3": "local 0"})})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"unresolved_use"})


@pytest.mark.slow
@pytest.mark.parametrize(("new", "is_asked"), [("then", True), ("toJSON", True), ("after", False)])
def test_a_new_name_that_a_script_gives_a_meaning_is_asked_about(rename: Rename, new: str, is_asked: bool) -> None:
    go = f"{SCRIPT}`m.ts`/go()."
    found = rename("go", {"m.ts": ("export function go() {}\ngo()\n", {"!go": go, "go@2": go})}, new=new)
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"special_name"}) if is_asked else (OK, set()))


@pytest.mark.slow
@pytest.mark.parametrize(("module", "is_asked"), [("'./m'", True), ("'./other'", False)])
def test_what_is_taken_out_of_a_module_that_is_loaded_late_follows(rename: Rename, module: str, is_asked: bool) -> None:
    go = f"{SCRIPT}`m.ts`/go()."
    use = f"export async function f() {{\n  const {{ go }} = await import({module})\n  go()\n}}\n"
    files = {
        "m.ts": ("export function go() {}\ngo()\n", {"!go": go, "go@2": go}),
        "n.ts": (use, {"!go": "local 0", "go@2": "local 0"}),
    }
    found = rename("go", files)
    # What only an index takes for a variable of its own is the module's by its syntax.
    assert (found.status, lines(found)[2:]) == (OK, [("n.ts", 2), ("n.ts", 3)] if is_asked else [])


@pytest.mark.parametrize(
    ("use", "facts", "form"),
    [
        ("const { go } = lib\nprint(go())\n", {"go": "GO", "!go": "local 0", "go@2": "local 0"}, AS_KEY),
        ("const { go } = lib\nprint(go())\n", {"go": "GO", "go@2": "GO"}, ""),
    ],
)
def test_a_pattern_that_takes_a_name_out_of_a_module_keeps_what_it_binds(
    rename: Rename, use: str, facts: Words, form: str
) -> None:
    go = f"{SCRIPT}`m.ts`/go()."
    told = {word: symbol.replace("GO", go) for word, symbol in facts.items()}
    files = {"m.ts": ("export function go() {}\ngo()\n", {"!go": go, "go@2": go}), "n.ts": (use, told)}
    found = rename("go", files)
    assert (found.status, [spot.form for spot in found.spots if spot.path == "n.ts"][:1]) == (OK, [form])


@pytest.mark.slow
@pytest.mark.parametrize(("form", "is_asked"), [("protected", False), ("private", False), ("public", True)])
def test_what_a_class_keeps_to_itself_stands_for_nothing_else(rename: Rename, form: str, is_asked: bool) -> None:
    one, other = f"{SCRIPT}`m.ts`/A#size.", f"{SCRIPT}`m.ts`/B#size."
    text = f"export class A {{ {form} size = 1; f() {{ return this.size }} }}\nexport interface B {{ size: number }}\n"
    found = rename("size", {"m.ts": (text, {"!size": one, "size@2": one, "!size@3": other})})
    assert ("same_member" in why(found)) == is_asked


@pytest.mark.parametrize(
    ("text", "word", "is_asked"),
    [
        ("export class A { size = 1; f(k) { return this[k] } }\nnew A().size\n", "size", True),
        ("export class A { size = 1; f() { return this['other'] } }\nnew A().size\n", "size", False),
        ("export class A { size = 1 }\nnew A().size\nlet it: keyof A\n", "size", False),
        ("export class A { size = 1 }\nnew A().size\nconst it = JSON.parse(text) as A\n", "size", True),
        ("export class A { size = 1 }\nnew A().size\nconst f = (): A => JSON.parse(text)\n", "size", True),
        ("export class A { size = 1 }\nnew A().size\nload<A>(await answer.json())\n", "size", True),
        ("export enum A { size = 1 }\nA.size\nA[1]\n", "size", True),
        ("export enum A { size = 1 }\nA.size\nlet all: A[]\n", "size", False),
        ("export class A {}\nnew A().constructor.name\n", "A", True),
        ("export class A { f() { return new.target.name } }\nnew A()\n", "A", True),
        ("export class A {}\nnew A()\nthrow new Error(it.constructor.name)\n", "A", False),
        ("export class A {}\nnew A()\nprint(A.name)\n", "A", True),
        ("export class A {}\nnew A()\nprint(it.name)\n", "A", False),
    ],
)
def test_what_a_script_reads_of_its_own_names(rename: Rename, text: str, word: str, is_asked: bool) -> None:
    facts = {"!A": f"{SCRIPT}`m.ts`/A#", "A@2": f"{SCRIPT}`m.ts`/A#"}
    if text.count("A") > 2:
        facts |= {f"A@{nth}": f"{SCRIPT}`m.ts`/A#" for nth in range(3, text.count("A") + 1)}
    if word == "size":
        facts |= {"!size": f"{SCRIPT}`m.ts`/A#size.", "size@2": f"{SCRIPT}`m.ts`/A#size."}
    found = rename(word, {"m.ts": (text, facts)})
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"name_as_data"}) if is_asked else (OK, set()))


def test_what_an_index_takes_for_local_may_be_a_key_that_others_ask_for(rename: Rename) -> None:
    text = "const it = { run() { return 1 } }\nexport const all = [it.run(), use(it)]\n"
    found = rename("run", {"m.ts": (text, {"!run": "local 0", "run@2": "local 0"})})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"unresolved_use"})


@pytest.mark.parametrize(("written", "is_asked"), [("public ", True), ("", False)])
def test_a_parameter_that_is_a_member_as_well_is_one(rename: Rename, written: str, is_asked: bool) -> None:
    text = f"export class A {{ constructor({written}size: number) {{ print(size) }} }}\nnew A(1)\nit['size']\n"
    size = f"{SCRIPT}`m.ts`/A#`<constructor>`().(size)"
    facts = {"!A": f"{SCRIPT}`m.ts`/A#", "A@2": f"{SCRIPT}`m.ts`/A#", "!size": size, "size@2": size}
    found = rename("size", {"m.ts": (text, facts)})
    assert (found.status in (OK, OK_SYNTACTIC)) == (not is_asked)
    assert ("name_as_text" in why(found)) == is_asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "is_asked"),
    [
        ("export function f(it) { return Object.entries(it) }", False),
        ("export function f(it) { return [Object.entries(it), 'size'] }", False),
        ("export function f(it) { return Object.entries(it) }\nf(new A())", True),
        ("export function f(it: A) { for (const key in it) print(key) }", True),
        ("export function f(it: A) { return JSON.stringify(it) }", True),
        ("export function f(it: A) { return JSON.stringify({ it: 1 }) }", False),
        ("export function f(it: Other) { return JSON.stringify('it') }", False),
        ("export function f(it: A, key: string) { return it[key] }", True),
        ("export function f(it: A) { return it[0] }", False),
        ("export const f = <K extends keyof A>(it: A, key: K) => it[key]\nf(new A(), 'size')", True),
    ],
)
def test_keys_that_are_listed(rename: Rename, use: str, is_asked: bool) -> None:
    size, a = f"{SCRIPT}`m.ts`/A#size.", f"{SCRIPT}`m.ts`/A#"
    text = "export class A { size = 1; go() {} }\nnew A().size\nnew A().go()\n"
    go = f"{SCRIPT}`m.ts`/A#go()."
    facts = {"!A": a, "A@2": a, "A@3": a, "!size": size, "size@2": size, "!go": go, "go@2": go}
    files: dict[str, tuple[str, Words]] = {"m.ts": (text, facts), "n.ts": (f"import {{ A }} from './m'\n{use}\n", {})}
    found = rename("size", files)
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"name_as_data"}) if is_asked else (OK, set()))
    assert "[key]" in use or rename("go", files).status == OK


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "is_asked"),
    [
        ("import * as lib from './m'\nlist(Object.keys(lib))\n", True),
        ("import * as lib from './m.js'\nlist(lib[word])\n", True),
        ("const lib = require('./m')\nfor (const each in lib) list(each)\n", True),
        ("import * as lib from './m'\nexport const all = { ...lib }\n", True),
        ("import * as lib from './m'\nlist((lib as any)[word])\n", True),
        ("import * as lib from './m'\nlist(lib['other'])\n", False),
        ("import * as lib from './other'\nlist(Object.keys(lib))\n// m\n", False),
        ("import { go } from './m'\nlist(Object.keys(other))\n", False),
    ],
)
def test_a_module_of_a_script_whose_names_are_read(rename: Rename, use: str, is_asked: bool) -> None:
    go = f"{SCRIPT}`m.ts`/go()."
    facts = {"go": go} if "go" in use else {}
    found = rename("go", {"m.ts": ("export function go() {}\ngo()\n", {"!go": go, "go@2": go}), "n.ts": (use, facts)})
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"name_as_data"}) if is_asked else (OK, set()))


def edited(found: EditDraft, files: Mapping[str, tuple[str, Words]]) -> dict[str, str]:
    """The files that a rename changes, as it makes them."""
    return {
        path: rewritten(
            files[path][0].encode(), [spot for spot in found.spots if spot.path == path], found.new_name
        ).decode()
        for path in found.files
    }


@pytest.mark.parametrize(
    ("word", "before", "after"),
    [
        (
            "size",
            "export class A {\n  constructor(private size: number) {\n    print(size, this.size)\n  }\n}\n",
            "export class A {\n  constructor(private fresh: number) {\n    print(fresh, this.fresh)\n  }\n}\n",
        ),
        (
            "E",
            "export type F<T> = T extends (infer E)[] ? { of: E } : never\nexport type E = 1\n",
            "export type F<T> = T extends (infer fresh)[] ? { of: fresh } : never\nexport type E = 1\n",
        ),
        (
            "run",
            "export function run() {}\nexport namespace run { export const kind = 1 }\nrun.kind\n",
            "export function fresh() {}\nexport namespace fresh { export const kind = 1 }\nfresh.kind\n",
        ),
        (
            "size",
            "export interface A { size: number }\nexport const a: A = { 'size': 1 }\n"
            "export type S = Pick<A, 'size'>\na['size']\n",
            "export interface A { fresh: number }\nexport const a: A = { 'fresh': 1 }\n"
            "export type S = Pick<A, 'fresh'>\na['fresh']\n",
        ),
        (
            "size",
            "export class A { size = 1 }\nconst { size } = new A()\nprint(size)\n",
            "export class A { fresh = 1 }\nconst { fresh: size } = new A()\nprint(size)\n",
        ),
    ],
)
def test_all_places_of_a_thing_follow(rename: Rename, word: str, before: str, after: str) -> None:
    files: dict[str, tuple[str, Words]] = {"m.ts": (before, {})}
    found = rename(word, files)
    assert (found.status, edited(found, files)) == (OK_SYNTACTIC, {"m.ts": after})


@pytest.mark.parametrize("asked", ["m.ts", "n.ts", "o.ts"])
def test_what_a_file_adds_to_a_module_follows(rename: Rename, asked: str) -> None:
    files: dict[str, tuple[str, Words]] = {
        "m.ts": ("export interface Store<T> { a: T }\n", {}),
        "n.ts": ("declare module './m' {\n  interface Store<T> { b: T }\n}\n", {}),
        "o.ts": ("declare module './m' {\n  interface Store<T> { c: T }\n}\n", {}),
    }
    found = rename("Store", {asked: files[asked], **files})
    assert (found.status, lines(found)) == (OK_SYNTACTIC, [("m.ts", 1), ("n.ts", 2), ("o.ts", 2)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import { size as size } from './m'\nprint(size)\n", [("n.ts", 1), ("n.ts", 1), ("n.ts", 2)]),
        ("import { size as own } from './m'\nprint(own)\n", [("n.ts", 1)]),
        ("export { size as own } from './m'\n", [("n.ts", 1)]),
        ("import { size } from './m'\nexport const all = { size }\n", [("n.ts", 1), ("n.ts", 2)]),
    ],
)
def test_imports_follow_and_aliases_are_kept(rename: Rename, text: str, expected: list[tuple[str, int]]) -> None:
    files: dict[str, tuple[str, Words]] = {"m.ts": ("export const size = 1\n", {}), "n.ts": (text, {})}
    found = rename("size", files)
    assert (found.status, lines(found)) == (OK_SYNTACTIC, [("m.ts", 1), *expected])


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("class B { size = 1; other = 2 }\n", True),
        ("class B { other = 2 }\n", False),
        ("class B { private size = 1 }\n", False),
    ],
)
def test_a_class_that_has_what_an_interface_asks_for_may_stand_for_it(
    rename: Rename, text: str, is_asked: bool
) -> None:
    files: dict[str, tuple[str, Words]] = {
        "m.ts": (f"export interface A {{ size: number }}\nexport const f = (it: A) => it.size\n{text}", {})
    }
    assert ("same_member" in why(rename("size", files))) == is_asked
