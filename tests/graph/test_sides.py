"""A name of TypeScript that is a value, a type and a namespace at once: each place means one of them."""

from pathlib import Path

from cairn.graph.references import find_uses
from cairn.graph.targets import definitions_named
from tests.graph.worlds import resolver_of

_CODE = """\
interface Foo {}
namespace Foo { export interface Bar {} }
function Foo(): void {}
let a: Foo.Bar
let b: Foo
Foo.bind(this)
let c: typeof Foo
export { Foo }
class A implements Foo {}
import d = Foo
Foo()
"""
_MERGED = """\
class Box { static make() {} }
namespace Box { export const size = 1 }
interface Box { more: string }
let a: Box = new Box()
Box.make()
let b = Box.size
"""
_APART = """\
const STATE = 1
type STATE = typeof STATE
let a: STATE = STATE
"""


def test_an_interface_a_function_and_a_namespace_of_types_are_three_things(folder: Path) -> None:
    with resolver_of(folder, {"a.ts": _CODE}) as resolver:
        found = {
            item.symbol.kind: [use.line for use in find_uses(resolver, [item]).items if use.tier == "proven"]
            for item in definitions_named(resolver, "Foo")
        }
    # What hands on a name hands on all of it.
    assert found == {"interface": [5, 8, 9], "module": [4, 8, 10], "function": [6, 7, 8, 11]}


def test_a_class_its_interface_and_a_namespace_with_values_are_one(folder: Path) -> None:
    with resolver_of(folder, {"a.ts": _MERGED}) as resolver:
        found = find_uses(resolver, definitions_named(resolver, "Box")).items
    assert [(use.line, use.tier) for use in found] == [(4, "proven"), (4, "proven"), (5, "proven"), (6, "proven")]


def test_a_type_beside_a_constant_of_its_name_has_uses_of_its_own(folder: Path) -> None:
    with resolver_of(folder, {"a.ts": _APART}) as resolver:
        places = {}
        for item in definitions_named(resolver, "STATE"):
            places[item.symbol.kind] = [(use.line, use.column) for use in find_uses(resolver, [item]).items]
    assert places == {"constant": [(2, 20), (3, 15)], "type": [(3, 7)]}
