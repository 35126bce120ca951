import numpy as np
import pytest

from cairn.search import parse_query
from cairn.search.pathfacts import path_facts
from cairn.search.siblings import imported_by, older_versions, platform_twins


def test_of_parallel_implementations_the_one_for_another_platform_is_the_twin() -> None:
    paths = ["src/unix/pipe.c", "src/win/pipe.c", "src/win/handle.c", "net/poll_windows.go", "net/poll.go"]
    assert platform_twins(paths).tolist() == [0.0, 1.0, 0.0, 1.0, 0.0]


def test_two_foreign_platforms_are_no_twins_of_each_other() -> None:
    assert platform_twins(["sys/windows/fs.rs", "sys/wasm/fs.rs"]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("path", ["src/window/pipe.c", "src/winner.c", "src/darwinism/pipe.c"])
def test_words_that_only_begin_like_a_platform_name_none(path: str) -> None:
    assert not path_facts(path).platform


def test_an_older_version_is_older_only_beside_a_newer_one() -> None:
    paths = ["api/v1/types.py", "api/v2/types.py", "other/v1/types.py", "api/types.py", "api/v10/types.py"]
    assert older_versions(paths).tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("how pipes work on windows", "platform"),
        ("the v3 error types", "version"),
        ("deprecated helpers", "legacy"),
    ],
)
def test_what_is_asked_for_is_not_held_against_a_file(query: str, kind: str) -> None:
    assert kind in parse_query(query).asks_for
    assert kind not in parse_query("how pipes are opened").asks_for


PATHS = ["pkg/app.py", "pkg/store/lease.py", "pkg/store/__init__.py", "other/lease.py", "web/router.ts", "web/index.ts"]


@pytest.mark.parametrize(
    ("importer", "target", "meant"),
    [
        (0, "pkg.store.lease", 1),
        (0, "pkg.store.lease.Lease", 1),
        (0, "pkg.store", 2),
        (3, ".lease", 1),
        (2, ".lease", 1),
        (5, "./router", 4),
        (5, "./router.ts", 4),
        (4, ".", None),
        (0, "os", None),
    ],
)
def test_an_import_is_matched_by_its_names(importer: int, target: str, meant: int | None) -> None:
    found = imported_by(PATHS, np.ones(len(PATHS)), [(importer, [target])])
    assert [index for index, value in enumerate(found) if value] == ([] if meant is None else [meant])


def test_what_several_good_files_import_counts_more_and_at_most_one() -> None:
    scores = np.array([4.0, 0.0, 2.0, 4.0, 0.0, 0.0])
    once = imported_by(PATHS, scores, [(2, ["pkg.store.lease"])])
    thrice = imported_by(PATHS, scores, [(place, ["pkg.store.lease"]) for place in (0, 2, 3)])
    assert once[1] == pytest.approx(0.25)
    assert thrice[1] == 1.0


def test_importing_twice_counts_once_and_bad_scores_for_nothing() -> None:
    scores = np.array([2.0, 0.0, 0.0, 0.0, -3.0, 0.0])
    assert imported_by(PATHS, scores, [(0, ["pkg.store.lease", "store.lease"])])[1] == pytest.approx(0.5)
    assert not imported_by(PATHS, scores, [(4, ["pkg.store.lease"])]).any()
    assert not imported_by(PATHS, np.zeros(6), [(0, ["pkg.store.lease"])]).any()
