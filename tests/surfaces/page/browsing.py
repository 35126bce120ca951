"""A real browser on the page of a real daemon, and what it must never do."""

import contextlib
import os
import shutil
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conformance import ROOT
from tests.surfaces.http.running import Daemon, until

AXE = ROOT / "build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
HINT = "make install-browser sets up what is missing"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MOVE = """(address) => new Promise((done) => {
    if (location.hash === address) return done();
    addEventListener("hashchange", () => done(), { once: true });
    location.hash = address;
})"""
_BUSY = "Boolean(document.querySelector('.waiting, [aria-busy]'))"


def executable() -> str | None:
    """The browser that is there, if any; none is ever downloaded."""
    return os.environ.get("CAIRN_BROWSER") or next((found for name in _NAMES if (found := shutil.which(name))), None)


def why_not() -> str:
    """Why no browser is driven; empty for `make page`, which must find one.

    Its driver keeps an event loop running to the end of the process, where other tests could start none.
    """
    if not os.environ.get("CAIRN_PAGE"):
        return "make page runs it"
    if why := _missing():
        raise RuntimeError(why)
    return ""


def _missing() -> str:
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return f"Playwright is not installed: {HINT}"
    return "" if executable() else f"there is no Chromium: {HINT}"


@contextlib.contextmanager
def browsing() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        # Chromium's own sandbox does not run for root, which is who tests are run by in containers.
        alone = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=executable(), args=alone)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Tab:
    """A tab of its own, which remembers everything that must not happen."""

    page: Any
    url: str
    root: str
    troubles: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", self._asked)
        self.page.on("request", lambda request: self.addresses.append(request.url))

    def _said(self, line: Any) -> None:
        # That an answer of the API was no 200 is noted by the browser itself; it is no defect of the page.
        refused = line.text.startswith("Failed to load resource") and "/v1/" in line.location["url"]
        if line.type == "error" and not refused:
            self.troubles.append(line.text)

    def _asked(self, dialog: Any) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, address: str, **values: str) -> "Tab":
        """To a view of the codebase, once all of it is there."""
        query = urllib.parse.urlencode({"in": self.root, **values})
        return self.to(f"#/{address}?{query}")

    def to(self, address: str) -> "Tab":
        self.page.evaluate(_MOVE, address)
        return self.settled()

    def settled(self) -> "Tab":
        until(lambda: not self.page.evaluate(_BUSY))
        return self

    def text(self, selector: str = "main") -> str:
        return str(self.page.locator(selector).first.inner_text())

    def all(self, selector: str) -> list[str]:
        return [str(each) for each in self.page.locator(selector).all_text_contents()]

    def hash(self) -> str:
        return urllib.parse.unquote(str(self.page.evaluate("location.hash")))

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.textContent || document.activeElement.id"))

    def press(self, *keys: str) -> "Tab":
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def require_quiet(self) -> None:
        """Nothing went wrong in the console, and nobody but the daemon was asked."""
        assert not self.troubles, self.troubles
        assert [each for each in self.addresses if not each.startswith((f"{self.url}/", "data:"))] == []


@contextlib.contextmanager
def tab(
    browser: Any, daemon: Daemon, root: Path, width: int = 1280, height: int = 900, **options: Any
) -> Iterator[Tab]:
    """A tab that was opened with the address that the daemon printed."""
    size = {"width": width, "height": height}
    context = browser.new_context(viewport=size, reduced_motion="reduce", **options)
    context.set_default_timeout(30_000)
    try:
        found = Tab(context.new_page(), str(daemon.told["url"]), str(root))
        found.page.goto(daemon.told["page"])
        found.page.wait_for_selector("#search-view")
        yield found
    finally:
        context.close()
