"""The codebase around a folder, looked up without a lock and without loading more than that takes."""

import os
import sqlite3

from cairn.base.errors import RegistryDamagedError
from cairn.store.layout import Layout, open_layout


def store_around(home: str, folder: str) -> tuple[str, Layout | None]:
    """The nearest tracked root that a folder is in, and its store; the folder itself where there is none."""
    around = [folder]
    while around[-1] != os.path.dirname(around[-1]):
        around.append(os.path.dirname(around[-1]))
    path = os.path.join(home, "registry.db")
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            for each in around:
                asked = "SELECT store_id FROM tracked WHERE root = ?"
                for (store_id,) in connection.execute(asked, (os.fsencode(each),)):
                    return each, open_layout(os.path.join(home, "data", store_id)) if store_id else None
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise RegistryDamagedError(f"{path} can't be read: {error}.") from error
    return folder, None
