"""`python -m bench`: measure and write docs/benchmarks.md."""

import argparse
import datetime
import os
import platform
import tempfile
from pathlib import Path

from bench import retrieval, store, workspace
from bench.measure import table

_PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--work", type=Path, help="where to keep the trees between runs; default: a temporary folder")
    parser.add_argument("--no-write", action="store_true", help="only print")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cairn-bench-") as temporary:
        page = _page(options.work or Path(temporary))
    print(page)
    if not options.no_write:
        _PAGE.write_text(page, encoding="utf-8")


def _page(work: Path) -> str:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    machine = f"{platform.machine()} Linux, {os.cpu_count()} cores, Python {platform.python_version()}, {today}"
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Made by `make bench`. Figures are medians of several rounds in which the subjects take turns on",
            "one machine; only the ratios say something about Cairn.",
            "",
            f"Machine: {machine}.",
            "",
            "## The tree and what changed in it",
            "",
            f"A synthetic tree of {workspace.FILES:,} committed files, ten to a folder.",
            "",
            table(workspace.run(work)),
            "",
            "## The snapshot store",
            "",
            "Synthetic files of about ten chunks each; publishes include every fsync.",
            "",
            table(store.run(work)),
            "",
            "## Retrieval",
            "",
            "Public queries over pinned repositories, default settings and the bundled model. Published for the same",
            "queries: CodeRankEmbed hybrid (137M parameters) 0.856, semble 0.854.",
            "",
            retrieval.run(work),
            "",
        ]
    )


if __name__ == "__main__":
    main()
