"""A small line chart as SVG by hand: one panel a measure, readable on light and on dark."""

from collections.abc import Sequence
from dataclasses import dataclass

_WIDTH, _HEIGHT, _GAP = 250, 190, 20
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 34, 30
_STYLE = """<style>
  .back { fill: #ffffff } .text { fill: #24292f } .axis { stroke: #8c959f } .line { stroke: #0969da } .dot { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } .text { fill: #e6edf3 } .axis { stroke: #6e7681 } .line { stroke: #58a6ff } .dot { fill: #58a6ff }
  }
  text { font: 11px system-ui, Helvetica, Arial, 'DejaVu Sans', sans-serif } .title { font-weight: 600 }
  .line { fill: none; stroke-width: 2 }
</style>"""  # noqa: E501


@dataclass(frozen=True, slots=True)
class Panel:
    """A measure: its title with the unit, and its values over the sizes."""

    title: str
    values: Sequence[float]


def svg(sizes: Sequence[int], panels: Sequence[Panel]) -> str:
    """Panels side by side; both axes start at zero, so a straight line through the corner is linear growth."""
    width = len(panels) * (_WIDTH + _GAP) + _GAP
    height = _HEIGHT + 2 * _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="Growth over the number of files">',
        _STYLE,
        f'<rect class="back" width="{width}" height="{height}" rx="6"/>',
    ]
    for number, panel in enumerate(panels):
        parts += _panel(sizes, panel, _GAP + number * (_WIDTH + _GAP), _GAP)
    return "\n".join([*parts, "</svg>", ""])


def _panel(sizes: Sequence[int], panel: Panel, x: int, y: int) -> list[str]:
    left, right = x + _LEFT, x + _WIDTH - _RIGHT
    top, bottom = y + _TOP, y + _HEIGHT - _BOTTOM
    most, largest = max(panel.values) or 1.0, max(sizes)
    places = [
        (left + (right - left) * size / largest, bottom - (bottom - top) * value / most)
        for size, value in zip(sizes, panel.values, strict=True)
    ]
    line = " ".join(f"{across:.1f},{up:.1f}" for across, up in places)
    parts = [
        f'<text class="text title" x="{x}" y="{y + 12}">{panel.title}</text>',
        f'<path class="axis" d="M{left} {top}V{bottom}H{right}" fill="none"/>',
        f'<text class="text" x="{left - 6}" y="{top + 4}" text-anchor="end">{most:.3g}</text>',
        f'<text class="text" x="{left - 6}" y="{bottom + 4}" text-anchor="end">0</text>',
        f'<polyline class="line" points="{line}"/>',
    ]
    for size, (across, up) in zip(sizes, places, strict=True):
        parts.append(f'<circle class="dot" cx="{across:.1f}" cy="{up:.1f}" r="3"/>')
        parts.append(
            f'<text class="text" x="{across:.1f}" y="{bottom + 16}" text-anchor="middle">{size // 1000}k</text>'
        )
    return parts
