"""The dashboard: what needs somebody first, what was asked and what it saved, the stores; and a sync on demand."""

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import serving, until
from tests.surfaces.page.browsing import tab
from tests.surfaces.page.test_access import violations
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow


def test_the_dashboard_tells_what_was_asked_and_kept_and_brings_up_to_date(browser: Any, tmp_path: Path) -> None:
    repo, gone = Repo.create(tmp_path / "z-fine"), Repo.create(tmp_path / "a-later")
    for each in (repo, gone):
        each.write("src/a.py", "def first() -> int:\n    return 1\n")
        each.commit()
        assert cairn("index", str(each.path)).returncode == 0
    broken = Repo.create(tmp_path / "y-gone")
    broken.write("a.py", "x = 1\n")
    broken.commit()
    assert cairn("index", str(broken.path)).returncode == 0
    broken.path.rename(tmp_path / "elsewhere")
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon:
        for _ in range(3):
            assert daemon.get("/v1/search", root=repo.path, q="first").status == 200
        until(lambda: daemon.get("/v1/gain").document["questions"] >= 3)
        for width, scheme in ((1440, "light"), (360, "dark")):
            with tab(browser, daemon, repo.path, width, color_scheme=scheme) as found:
                found.go("home")
                assert [each.split("/")[0] for each in found.all(".card .head a")] == ["y-gone", "a-later", "z-fine"]
                assert "Its folder is not there." in found.text(".card")
                assert "search" in found.text(".tile.gain .kinds")
                assert found.page.locator(".tile.gain .bar").count() >= 1
                stores = daemon.get("/v1/stores").document["stores"]
                assert found.page.locator(".tile.stores .bars li").count() == len(stores) == 3
                assert "folder gone" in found.text(".tile.stores")
                assert violations(found) == []
                before = found.text(".tile.snapshots tbody code")
                repo.write(f"src/b{width}.py", "y = 1\n")
                card = found.page.locator(".card", has_text="z-fine")
                card.get_by_role("button", name="Bring up to date").click()
                until(lambda: found.settled().text(".tile.snapshots tbody code") != before)  # noqa: B023
                found.require_quiet()
