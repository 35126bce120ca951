"""One owner or none: what holds for every tree."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.semantic.contexts.discover import discover
from cairn.semantic.contexts.families import FAMILIES, family_of
from cairn.semantic.contexts.survey import Owners, Router, claims
from cairn.semantic.contexts.values import FAILED, VALID, Probe
from cairn.syntax import language_of
from tests.semantic.contexts.trees import TextTree, owners

FOLDERS = ("", "a", "ab", "a/b", "a/bc", "a/b/c", "packages/x", "packages/x/y", "node_modules/z", "[a]")
NAMES = {
    "package.json": ("{}", "{", '{"workspaces": ["*", "packages/*"]}', '{"workspaces": ["b"]}'),
    "tsconfig.json": ("{}",),
    "pnpm-workspace.yaml": ("packages: [a, 'a/*']", "?"),
    "pyproject.toml": ("", '[tool.uv.workspace]\nmembers = ["a/*"]\n'),
    "uv.lock": ("",),
    "requirements.txt": ("",),
    "Cargo.toml": ('[workspace]\nmembers = ["b"]\n', '[dependencies]\nx = { path = "../b" }\n', ""),
    "go.mod": ("",),
    "go.work": ("use ./a\n",),
    "m.py": ("x = 1\n",),
    "m.ts": ("let x = 1\n",),
    "m.rs": ("fn f() {}\n",),
    "m.go": ("package m\n",),
    "m.md": ("# m\n",),
    "m.weird": ("",),
}
trees = st.dictionaries(
    st.tuples(st.sampled_from(FOLDERS), st.sampled_from(sorted(NAMES))), st.integers(0, 3), max_size=25
).map(
    lambda picked: {
        f"{folder}/{name}".lstrip("/"): NAMES[name][choice % len(NAMES[name])]
        for (folder, name), choice in picked.items()
    }
)
UNRELATED = st.tuples(st.sampled_from(FOLDERS), st.sampled_from(("n.py", "n.ts", "n.rs", "n.md", "n.txt"))).map(
    lambda place: "/".join(place).lstrip("/")
)


@pytest.mark.slow
@pytest.mark.requirement("CTX.1")
@settings(deadline=None)
@given(trees)
def test_every_path_has_one_owner_at_most_and_it_is_the_deepest_root(files: dict[str, str]) -> None:
    contexts = discover(TextTree(files)).contexts
    assert len({(context.family, context.root) for context in contexts}) == len(contexts)
    known = Owners(contexts)
    for path in files:
        language = language_of(path)
        family = family_of(language)
        claimed = [context for context in contexts if claims(context, path, language)]
        owner = known.owner_of(path)
        assert claimed == ([owner] if owner is not None else [])
        around = [
            context
            for context in contexts
            if family is not None
            and context.family == family.name
            and (not context.root or path.startswith(context.root + "/"))
        ]
        if owner is not None:
            assert owner == max(around, key=lambda context: len(context.root))
            assert not owner.detached
        elif around and "node_modules" not in path:
            assert max(around, key=lambda context: len(context.root)).detached


@pytest.mark.slow
@pytest.mark.requirement("CTX.1")
@settings(deadline=None)
@given(trees, UNRELATED)
def test_a_file_that_is_no_manifest_changes_no_other_owner(files: dict[str, str], name: str) -> None:
    before = owners(files)
    after = owners(files | {name: "x"})
    assert {path: after[path] for path in files} == before


@pytest.mark.slow
@pytest.mark.requirement("CTX.1")
@settings(deadline=None)
@given(trees, st.integers(0, 10**6))
def test_the_order_of_files_has_no_effect(files: dict[str, str], seed: int) -> None:
    shuffled = sorted(files.items())
    random.Random(seed).shuffle(shuffled)
    assert discover(TextTree(dict(shuffled))) == discover(TextTree(files))


@pytest.mark.requirement("CTX.1")
def test_the_router_answers_nothing_before_every_probe_and_only_from_valid_contexts() -> None:
    files = {"package.json": "{}", "a.ts": "", "lib/package.json": "{}", "lib/b.ts": "", "c.md": ""}
    contexts = discover(TextTree(files)).contexts
    probes = {context.id: Probe(VALID) for context in contexts}
    missing = {name: probe for name, probe in probes.items() if name != "docker:."}
    early = Router(contexts, missing)
    assert not early.ready
    assert [early.route(path) for path in files] == [None] * len(files)
    router = Router(contexts, probes | {"javascript:lib": Probe(FAILED)})
    answers = {path: found.id if (found := router.route(path)) else None for path in ("a.ts", "lib/b.ts", "c.md", "d")}
    assert answers == {"a.ts": "javascript:.", "lib/b.ts": None, "c.md": "docs:.", "d": None}
    script = router.route("tool", "javascript")
    assert script is not None
    assert script.id == "javascript:."


def test_a_language_belongs_to_one_family() -> None:
    languages = [language for family in FAMILIES for language in family.languages]
    assert len(languages) == len(set(languages))
    assert family_of("typescript") == family_of("javascript")
    assert family_of("other") is None
