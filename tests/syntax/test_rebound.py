"""What gives a name another value at the top of a file of Python, and what stands in functions or comments."""

import pytest

from cairn.graph.occurrences import rebinds
from cairn.syntax.blocks import occurrence_block
from tests.named import places

IMPORT = "from lib import name\n\n"
BINDING = (
    "name = 1\n",
    "name: int = 1\n",
    "name += 1\n",
    "other, name = 1, 2\n",
    "(other,\n name) = 1, 2\n",
    "for name in ():\n    pass\n",
    "for other, name in ():\n    pass\n",
    "with open('x') as name:\n    pass\n",
    "try:\n    pass\nexcept ValueError as name:\n    pass\n",
    "if True:\n    name = 1\n",
    "def change():\n    global name\n    name = 1\n",
    "def change():\n    global other, name\n    name = 1\n",
    "def change():\n    if True: global name; name = 1\n",
    "other = [name := 1]\n",
    "def change(given=(name := 1)):\n    pass\n",
    "class Other((name := object)):\n    pass\n",
    "def change():\n    from lib import name\n    name = 1\n",
)
FREE = (
    "# a text for name\n",
    "def use():\n    # for name\n    name = 1\n    return name\n",
    "class Use(name):\n    name = 1\n",
    "@name\ndef use(name=name):\n    for name in ():\n        pass\n",
    "async def use():\n    with name() as name:\n        pass\n",
    "if True:\n    def use():\n        name = 1\n",
    "def use():\n    def inner():\n        name = 1\n    return lambda name: name\n",
)


def judged(text: str) -> bool:
    rows = places(occurrence_block("a.py", "python", text.encode()))
    return rebinds(row.what for row in rows if row.name == "name")


@pytest.mark.parametrize("before", ["", "def before():\n    return 1\n", "class Before:\n    value = 1\n\n"])
@pytest.mark.parametrize("text", BINDING)
def test_nothing_that_binds_a_name_is_overlooked(before: str, text: str) -> None:
    assert judged(IMPORT + before + text + "\n\ndef after():\n    return name\n")


@pytest.mark.parametrize("text", FREE)
def test_what_stands_in_functions_classes_and_comments_binds_nothing_at_the_top(text: str) -> None:
    assert not judged(IMPORT + text)
