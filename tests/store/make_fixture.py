"""Make the committed store of today's formats: `python -m tests.store.make_fixture` from the repository's root.

Run it once for each new writable version, into a new folder; the old ones must stay readable.
"""

import shutil
from pathlib import Path

from tests.store.samples import identity, make_store, publish, temporary_home

FOLDER = Path(__file__).with_name("fixture_v7")
CONTENT = {"kept.py": "def kept():\n    return 'walrus'\n", "changed.py": "otter = 2\n", "naïve.md": "# seal\n"}


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    with temporary_home() as home:
        store = make_store(home, who=identity(store_id="fixture"))
        publish(store, {"kept.py": CONTENT["kept.py"], "changed.py": "old = 1\n", "deleted.py": "gone = 0\n"})
        publish(store, {"changed.py": CONTENT["changed.py"], "deleted.py": None, "naïve.md": CONTENT["naïve.md"]})
        shutil.copytree(
            store.layout.path,
            FOLDER,
            ignore=shutil.ignore_patterns("*.lock", "*.mutex", "cache", "logs", "writer_lease.json"),
        )


if __name__ == "__main__":
    main()
