"""Names in objects that are written out and in patterns: members of the type that the object or the value has."""

from pathlib import Path

import pytest

from cairn.graph.references import find_uses
from cairn.graph.resolve import LIKELY, NAME, PROVEN
from cairn.graph.targets import Place, definitions_meant, definitions_named
from tests.graph.worlds import resolver_of

_TYPES = """\
export interface Opts { name: string; inner: Inner; many: Inner[] }
export interface Inner { name: number }
export interface Store { get(key: string): string }
export class Box { constructor(size: number, opts: Opts) {} }
export function run(size: number, opts: Opts): void {}
"""


def _uses(folder: Path, code: str, target: str) -> dict[str, str]:
    """By its line, the surest tier of each use in a file beside the types."""
    head = "import { Opts, Inner, Store, Box, run } from './types'\n"
    with resolver_of(folder, {"types.ts": _TYPES, "a.tsx": head + code}) as resolver:
        found = find_uses(resolver, definitions_named(resolver, target)).items
        return {str(each.line - 1): each.tier for each in reversed(found) if each.path == "a.tsx"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "const a: Opts = { name: 'x' }",
        "const a = { name: 'x' } as Opts",
        "const a = { name: 'x' } satisfies Opts",
        "const a: Opts[] = [{ name: 'x' }]",
        "const a: Opts = b ?? { name: 'x' }",
        "let a: Opts; a = { name: 'x' }",
        "const a = { name() {} } as Opts",
        "class A { a: Opts = { name: 'x' } }",
        "function f(): Opts { return { name: 'x' } }",
        "const f = (): Opts => ({ name: 'x' })",
        "function f(a: Opts = { name: 'x' }) {}",
        "run(1, { name: 'x' })",
        "new Box(1, { name: 'x' })",
        "function f({ name }: Opts) {}",
        "function f({ name = 'x' }: Opts) {}",
        "function f(a: Opts) { const { name } = a }",
        "function f(a: Opts) { const { name: other } = a }",
        "function f(a: Opts[]) { for (const { name } of a) {} }",
        "function View({ name }: Opts) { return null }; const e = <View name='x' />",
    ],
)
def test_a_name_in_an_object_or_a_pattern_is_its_types(folder: Path, line: str) -> None:
    assert _uses(folder, line + "\n", "Opts.name") == {"1": PROVEN}
    assert _uses(folder, line + "\n", "Inner.name") == {"1": NAME}


@pytest.mark.parametrize(
    "line",
    [
        "const a: Opts = { inner: { name: 1 } }",
        "const a: Opts = { many: [{ name: 1 }] }",
        "function f({ inner: { name } }: Opts) {}",
    ],
)
def test_a_name_further_in_is_the_inner_types(folder: Path, line: str) -> None:
    assert _uses(folder, line + "\n", "Inner.name") == {"1": PROVEN}
    assert _uses(folder, line + "\n", "Opts.name") == {"1": NAME}


@pytest.mark.parametrize("line", ["const a = { name: 'x' }", "run(...b, { name: 'x' })", "function f({ name }) {}"])
def test_a_name_in_what_no_type_is_written_of_is_told_by_name(folder: Path, line: str) -> None:
    assert _uses(folder, line + "\n", "Opts.name") == {"1": NAME}


def test_a_method_of_an_object_stands_in_the_place_of_its_types(folder: Path) -> None:
    code = "const made: Store = { get: (key) => key }\nfunction f(a: Store) { return a.get('x') }\n"
    assert _uses(folder, code, "Store.get") == {"1": PROVEN, "2": PROVEN}
    with resolver_of(folder, {"types.ts": _TYPES, "a.tsx": f"import {{ Store }} from './types'\n{code}"}) as resolver:
        [own] = definitions_named(resolver, "made.get")
        [use] = find_uses(resolver, [own]).items
        assert (use.line, use.dispatch) == (3, True)
        [promised] = definitions_named(resolver, "Store.get")
        assert [item.symbol.qualified_name for item in resolver.members.overriders([promised])] == ["made.get"]


def test_a_class_and_its_values_may_each_have_a_member_of_one_name(folder: Path) -> None:
    text = (
        "class A { go() {} }\nclass B extends A { static go() {} }\n"
        "class C extends B {\n  static go() {}\n  go() {}\n}\nnew B().go()\nnew C().go()\nB.go()\nC.go()\n"
    )
    with resolver_of(folder, {"a.ts": text}) as resolver:
        found = {
            item.symbol.name_line: [use.line for use in find_uses(resolver, [item]).items if use.tier == PROVEN]
            for item in definitions_named(resolver, "go")
        }
        assert found == {1: [7], 2: [9], 4: [10], 5: [8]}


_ALIASES = """\
interface A { one: string }
interface B { two: string }
type Both<T = string> = A & {
  three: T
} & B
type Some = Pick<
  A,
  'one'
>
export function f<T extends Some>(both: Both<string>, some: T) {
  both.one
  both.two
  const { three } = both
  some.one
}
"""


@pytest.mark.parametrize(("name", "lines"), [("A.one", [11, 14]), ("B.two", [12]), ("Both.three", [13])])
def test_a_value_of_several_types_at_once_has_the_members_of_each(folder: Path, name: str, lines: list[int]) -> None:
    with resolver_of(folder, {"a.ts": _ALIASES}) as resolver:
        found = find_uses(resolver, definitions_named(resolver, name)).items
        assert [use.line for use in found if use.tier == PROVEN] == lines


def test_types_of_several_blocks_are_several(folder: Path) -> None:
    text = "it(() => {\n  type S = { a: 1 }\n  let x: S\n})\nit(() => {\n  type S = { b: 1 }\n  let y: S\n})\n"
    with resolver_of(folder, {"a.ts": text}) as resolver:
        items = definitions_named(resolver, "S")
        assert [[use.line for use in find_uses(resolver, [item]).items] for item in items] == [[3], [7]]


def test_the_place_of_a_key_is_no_variable_of_its_name(folder: Path) -> None:
    text = "const name = 'x'\nexport const a = { name: name }\n"
    with resolver_of(folder, {"a.ts": text}) as resolver:
        assert definitions_meant(resolver, "a.ts:2:20", Place("a.ts", 2, 20)) == []
        [found] = definitions_meant(resolver, "a.ts:2:26", Place("a.ts", 2, 26))
        assert found.symbol.name_line == 1


def test_a_bare_name_of_a_script_is_no_member(folder: Path) -> None:
    text = "class Test { get x() { return 0 } }\nconst { x } = new Test()\nx\n"
    with resolver_of(folder, {"a.ts": text}) as resolver:
        assert definitions_meant(resolver, "a.ts:3:1", Place("a.ts", 3, 1)) == []
        [found] = definitions_meant(resolver, "a.ts:2:9", Place("a.ts", 2, 9))
        assert found.symbol.qualified_name == "Test.x"


_CONTEXTS = """\
export interface Seen { go(): void; inner: Inner; on: (f: (one: Inner) => void) => Seen }
export interface Inner { go(): void }
export type Handler = (seen: Seen, more: { one: Inner }) => void
export type Of<T> = (value: T, key: string) => void
export interface Holder<T> { each(f: Of<T>): Holder<T>; value: T; take: Of<T> }
export interface Options { handle: Handler; deep: { handle(seen: Seen): void } }
export type Make = { <T>(): (f: (value: T) => void) => void }
export type Maybe<T> = T extends null ? never : T
export const make: Make = null as any
export function run(handler: Handler): void {}
export function configure(options: Options): void {}
export function both<T>(
  name: string,
  f: Of<T>,
): Holder<T> { return null as any }
export declare const held: Holder<Seen>
"""
_CONTEXT_NAMES = "Seen, Inner, Handler, Of, Holder, Options, Maybe, make, run, configure, both, held"


@pytest.mark.sampled
@pytest.mark.parametrize(
    "line",
    [
        "run((a) => a.go())",
        "run(a => a.go())",
        "run(function (a) { a.go() })",
        "const f: Handler = (a) => { a.go() }",
        "let f: Handler; f = (a) => a.go()",
        "class A { f: Handler = (a) => a.go() }",
        "function f(): Handler { return (a) => a.go() }",
        "configure({ handle: (a) => a.go() })",
        "configure({ handle(a) { a.go() } })",
        "configure({ deep: { handle(a) { a.go() } } })",
        "const o: Options = { handle: (a) => a.go() }",
        "const fs: Handler[] = [(a) => a.go()]",
        "held.each((a) => a.go())",
        "held.each((b) => b.inner).each((a) => a.go())",
        "held.value.go()",
        "both<Seen>('x', (a) => a.go())",
        "make<Seen>()((a) => a.go())",
        "function f(h: Holder<Seen>) { h.take = (a) => a.go() }",
        "const f = (): Of<Seen> => (a) => a.go()",
        "const f: Of<Holder<Seen>> = (a) => a.value.go()",
        "function f(a: Holder<Seen>['value']) { a.go() }",
    ],
)
def test_a_parameter_is_what_the_type_around_its_function_says(folder: Path, line: str) -> None:
    head = f"import {{ {_CONTEXT_NAMES} }} from './types'\n"
    with resolver_of(folder, {"types.ts": _CONTEXTS, "a.ts": head + line + "\n"}) as resolver:
        seen = find_uses(resolver, definitions_named(resolver, "Seen.go")).items
        inner = find_uses(resolver, definitions_named(resolver, "Inner.go")).items
    assert [(each.path, each.tier) for each in seen] == [("a.ts", PROVEN)]
    assert {each.tier for each in inner} <= {NAME}


@pytest.mark.parametrize(
    ("line", "tier"),
    [
        ("run((_, { one }) => one.go())", PROVEN),
        ("run((_, { one: two }) => { two.go() })", PROVEN),
        ("run((_, more) => more.one.go())", PROVEN),
        ("held.value.on((a) => a.go())", PROVEN),
        ("function f(a: Maybe<Inner>) { a.go() }", LIKELY),
        ("both('x', (a) => a.go())", NAME),
        ("unknown((a) => a.go())", NAME),
    ],
)
def test_of_what_a_function_is_given_as_much_is_known_as_its_type_says(folder: Path, line: str, tier: str) -> None:
    head = f"import {{ {_CONTEXT_NAMES} }} from './types'\n"
    with resolver_of(folder, {"types.ts": _CONTEXTS, "a.ts": head + line + "\n"}) as resolver:
        found = find_uses(resolver, definitions_named(resolver, "Inner.go")).items
    assert [each.tier for each in found] == [tier]


def test_the_only_member_of_its_name_is_not_guessed_where_it_is_one_of_an_object(folder: Path) -> None:
    files = {
        "a.ts": "export const wrapped = { enqueue(v) {} }\nclass Queue { push1(v) {} }\n",
        "b.ts": "function f(c) {\n  c.enqueue(1)\n  c.push1(1)\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        found = {name: find_uses(resolver, definitions_named(resolver, name)).items for name in ("enqueue", "push1")}
    assert [each.tier for each in found["enqueue"]] == [NAME]
    assert [each.tier for each in found["push1"]] == [LIKELY]
