"""The screen of `cairn pick`: a line to type on, what is found, and a look into the file."""

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import HSplit, Layout, VSplit, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from cairn.base.text import printable
from cairn.surfaces.cli.finder import MODES, Finder, PickedPlace, PickList
from cairn.surfaces.cli.preview import preview

_PAUSE_S = 0.06
"""Who types faster than this is not done."""
_WIDE = 110
_ESCAPE_S = 0.05
_KEYS = " Enter opens · Esc leaves · ↑↓ choose · Ctrl-T meaning, lines or names"
_STYLE = {
    "bar": "reverse",
    "path": "ansicyan",
    "chosen": "reverse",
    "number": "ansibrightblack",
    "meant": "bold underline",
    "pygments.keyword": "ansiblue",
    "pygments.name.function": "ansiyellow",
    "pygments.name.class": "ansiyellow",
    "pygments.literal.string": "ansigreen",
    "pygments.literal.number": "ansimagenta",
    "pygments.comment": "ansibrightblack",
}


class PickScreen:
    """An interactive finder."""

    def __init__(self, finder: Finder, query: str) -> None:
        self._finder = finder
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pick")
        self._mode = 0
        self._chosen = 0
        self._found = PickList()
        self._given_up = threading.Event()
        self._query = Buffer(document=Document(query), multiline=False, on_text_changed=lambda _: self._ask())
        self._app: Any = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            style=Style.from_dict(_STYLE),
            color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            full_screen=True,
        )
        self._app.ttimeoutlen = _ESCAPE_S

    def run(self) -> PickedPlace | None:
        """Show the screen until something is chosen; None where the user leaves."""
        try:
            chosen: PickedPlace | None = self._app.run(pre_run=self._ask)
        finally:
            self._given_up.set()
            self._thread.submit(self._finder.close).result()
            self._thread.shutdown()
        return chosen

    def _layout(self) -> Any:
        found = Window(FormattedTextControl(self._lines), wrap_lines=False)
        inside = Window(FormattedTextControl(self._preview), wrap_lines=False)
        self._inside = inside
        try:
            wide = os.get_terminal_size().columns >= _WIDE
        except OSError:
            wide = False
        gap = Window(width=1, char="│") if wide else Window(height=1, char="─")
        body = (VSplit if wide else HSplit)([found, gap, inside])
        typed = Window(BufferControl(self._query, input_processors=[BeforeInput("> ")]), height=1)
        bar = Window(FormattedTextControl(self._bar), height=1, style="class:bar")
        return Layout(HSplit([typed, bar, body]), focused_element=typed)

    def _keys(self) -> Any:
        keys = KeyBindings()
        keys.add("enter")(lambda event: self._place is not None and event.app.exit(result=self._place))
        keys.add("escape", eager=True)(lambda event: event.app.exit(result=None))
        for name in ("c-c", "c-d"):
            keys.add(name)(lambda event: event.app.exit(result=None))
        keys.add("c-t")(lambda _: self._seek_otherwise())
        for name, by in (("up", -1), ("c-p", -1), ("down", 1), ("c-n", 1), ("pageup", -10), ("pagedown", 10)):
            keys.add(name)(lambda _, by=by: self._move(by))
        return keys

    def _seek_otherwise(self) -> None:
        self._mode = (self._mode + 1) % len(MODES)
        self._ask()

    @property
    def _place(self) -> PickedPlace | None:
        places = self._found.places
        return places[self._chosen] if self._chosen < len(places) else None

    def _move(self, by: int) -> None:
        self._chosen = max(0, min(self._chosen + by, len(self._found.places) - 1))

    def _ask(self) -> None:
        """Ask anew; what was asked before is given up."""
        self._given_up.set()
        self._given_up = threading.Event()
        self._app.create_background_task(self._answered(self._query.text, MODES[self._mode], self._given_up))

    async def _answered(self, query: str, mode: str, given_up: threading.Event) -> None:
        await asyncio.sleep(_PAUSE_S)
        if given_up.is_set():
            return
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._thread, self._finder.ask, query, mode, given_up)
        if not given_up.is_set():
            self._found, self._chosen = found, 0
            self._app.invalidate()

    def _bar(self) -> str:
        said = f" · {printable(self._found.said)}" if self._found.said else ""
        return f" {MODES[self._mode]}{said} ·{_KEYS}"

    def _lines(self) -> list[tuple[str, str]]:
        lines: list[tuple[str, str]] = []
        for at, place in enumerate(self._found.places):
            chosen = "class:chosen " if at == self._chosen else ""
            if chosen:
                # So the window scrolls to it.
                lines.append(("[SetCursorPosition]", ""))
            lines.append((f"{chosen}class:path", f"{printable(place.path)}:{place.line}"))
            lines.append((chosen, f"  {printable(place.text.expandtabs(4))}\n"))
        return lines

    def _preview(self) -> list[tuple[str, str]]:
        place, shown = self._place, self._inside.render_info
        height = shown.window_height if shown is not None else 20
        return preview(place.file, place.line, height) if place is not None else []
