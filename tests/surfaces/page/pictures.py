"""The pictures of the page in the documentation: `python -m tests.surfaces.page.pictures FOLDER`.

FOLDER is made and holds what the pictures are of: copies of this repository's source and documents, so
that no path of the machine is seen. It has to be new.
"""

import base64
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conformance import ROOT
from tests.surfaces.http.running import Daemon, serving, until
from tests.surfaces.page.browsing import Tab, browsing, tab
from tests.trees import Repo, cairn

IMAGES = ROOT / "docs" / "images"
_WIDE = (1440, 860)
_NARROW = (360, 720)
_GAP = 24
_QUERY = "how are stale leases taken over"
_FILE = "file/cairn/store/lease.py:51"
_EDITS = (
    ("cairn/base/owner.py", "def is_proven_alive(", "def is_seen_alive("),
    ("cairn/store/lease.py", "return max(1, min(asked, LEASE_TTL_MS))", "return min(max(1, asked), LEASE_TTL_MS)"),
)


def prepared(folder: Path) -> tuple[Repo, Repo]:
    """Two codebases, one of which has a past."""
    folder.mkdir(parents=True)
    ours, manual = Repo.create(folder / "cairn"), Repo.create(folder / "handbook")
    ignore = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "src" / "cairn", ours.path / "cairn", ignore=ignore)
    shutil.copytree(ROOT / "tests" / "store", ours.path / "tests" / "store", ignore=ignore)
    for name in ("README.md", "pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, ours.path / name)
    shutil.copytree(ROOT / "docs", manual.path / "docs", ignore=shutil.ignore_patterns("images", "*.svg"))
    for repo in (ours, manual):
        repo.commit()
    return ours, manual


def aged(ours: Repo) -> None:
    """Snapshots over some time: files come, change and go."""
    kept = sorted((ours.path / "cairn" / "graph").glob("*.py"))[:10]
    texts = {path: path.read_text() for path in kept}
    for step in ([0, 1, 2, 3, 4, 5], [0, 1], [], [2, 3, 4], [1]):
        for number, (path, text) in enumerate(texts.items()):
            if number in step:
                path.unlink(missing_ok=True)
            else:
                path.write_text(text)
        index(ours)
    for path, text in texts.items():
        path.write_text(text)
    index(ours)


def edited(ours: Repo) -> None:
    """A branch with edits: a line is different, and a name is gone that others still use."""
    ours.git("branch", "-M", "main")
    ours.git("checkout", "-q", "-b", "shorter-leases")
    for name, before, after in _EDITS:
        path = ours.path / name
        text = path.read_text()
        assert text.count(before) == 1, (name, before)
        path.write_text(text.replace(before, after))
    index(ours)


def index(repo: Repo) -> None:
    done = cairn("index", str(repo.path))
    assert done.returncode == 0, done.stderr


def taken(found: Tab, path: Path | None = None) -> bytes:
    # Long enough for what fades in.
    found.settled().page.wait_for_timeout(300)
    picture: bytes = found.page.screenshot(path=path)
    return picture


def asked_about(found: Tab) -> None:
    """A file, with what is known of a name in it."""
    found.go(_FILE)
    found.page.wait_for_selector(".text-of[data-coloured] .row[data-line='51']")
    found.page.locator(".text-of .row[data-line='51']").get_by_text("is_proven_dead", exact=True).click()
    found.page.locator("#right").get_by_role("tab", name="Uses").click()
    found.page.locator("#right [data-item]:visible").first.wait_for()


def searched(found: Tab) -> None:
    found.go("search", q=_QUERY)
    found.page.wait_for_selector(".facet")
    found.page.evaluate("document.activeElement.blur()")


def reviewed(found: Tab) -> None:
    """A change, with what it means elsewhere."""
    found.go("changes")
    found.page.wait_for_selector(".changes-view .tests-to-run, .changes-view .summary > .about")
    found.page.wait_for_selector(".differences table.diff")


def live(found: Tab) -> None:
    found.go("home")
    found.page.get_by_text("live", exact=True).wait_for()


VIEWS: tuple[tuple[str, str, Callable[[Tab], object]], ...] = (
    ("page-file", "light", asked_about),
    ("page-search", "light", searched),
    ("page-changes", "light", reviewed),
    ("page-calls", "light", lambda found: found.go("calls/swap_pointer", steps="2")),
    ("page-imports-dark", "dark", lambda found: found.go("imports/cairn/store/lease.py")),
    ("page-map", "light", lambda found: found.go("map")),
    ("page-dashboard-dark", "dark", live),
)
SMALL: tuple[tuple[str, Callable[[Tab], object]], ...] = (
    ("light", lambda found: found.go("search", q="stale leases")),
    ("light", asked_about),
    ("light", reviewed),
    ("dark", live),
)


def wide(browser: Any, daemon: Daemon, ours: Repo) -> None:
    for name, scheme, shown in VIEWS:
        with tab(browser, daemon, ours.path, *_WIDE, color_scheme=scheme) as found:
            shown(found)
            taken(found, IMAGES / f"{name}.png")


def narrow(browser: Any, daemon: Daemon, ours: Repo) -> None:
    """One picture of four, put together by the browser too."""
    width, height = _NARROW
    parts = []
    for scheme, shown in SMALL:
        with tab(browser, daemon, ours.path, width, height, color_scheme=scheme) as found:
            shown(found)
            parts.append(base64.b64encode(taken(found)).decode())
    page = browser.new_page(viewport={"width": 4 * width + 3 * _GAP, "height": height})
    images = "".join(f'<img height="{height}" src="data:image/png;base64,{each}">' for each in parts)
    page.set_content(f'<body style="margin:0;display:flex;gap:{_GAP}px;background:#cbc4bb">{images}')
    page.evaluate("Promise.all([...document.images].map((image) => image.decode()))")
    page.screenshot(path=IMAGES / "page-narrow.png")
    page.close()


def main(folder: Path) -> None:
    os.environ |= {"CAIRN_HOME": str(folder / ".cairn"), "HOME": str(folder)}
    ours, manual = prepared(folder / "src")
    for repo in (ours, manual):
        index(repo)
    aged(ours)
    edited(ours)
    with serving("--http", "127.0.0.1:0") as daemon, browsing() as browser:
        until(lambda: all(each["watched"] for each in daemon.get("/v1/codebases").document["codebases"]))
        wide(browser, daemon, ours)
        narrow(browser, daemon, ours)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).absolute())
