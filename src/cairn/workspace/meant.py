"""What somebody may have meant who named a path that isn't there."""

import os

from cairn.base.text import nearest


def path_meant(name: str, place: str) -> str:
    """The path most like a mistyped one; empty where none is. `name` is what was typed, `place` where that leads to."""
    base = place.removesuffix(name)
    parts = name.rstrip("/").split("/")
    for at, part in enumerate(parts):
        if os.path.lexists(base + "/".join(parts[: at + 1]) or "/"):
            continue
        try:
            beside = os.listdir(base + "/".join([*parts[:at], ""]) or ".")
        except (OSError, ValueError):
            return ""
        near = nearest(part, beside)
        whole = "/".join([*parts[:at], near, *parts[at + 1 :]])
        return whole if near and os.path.exists(base + whole) else "/".join([*parts[:at], near]) if near else ""
    return ""
