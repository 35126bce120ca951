"""The page as sections under headings; those that were not measured this time stay as they were."""

from collections.abc import Mapping, Sequence

_HEADING = "\n## "


def merge(head: str, before: str, titles: Sequence[str], measured: Mapping[str, str]) -> str:
    """The page with new sections in place of the old ones, in the order of `titles`; those by hand come last."""
    kept = dict(part.partition("\n")[::2] for part in before.split(_HEADING)[1:])
    sections = {**kept, **measured}
    ordered = dict.fromkeys([*(title for title in titles if title in sections), *kept])
    parts = [f"## {title}\n\n{sections[title].strip()}" for title in ordered]
    return "\n\n".join([head, *parts]) + "\n"
