"""Shared stores: opt-in, local, and only with the settings they were made with."""

import os
from pathlib import Path

import pytest

from cairn.base.errors import StoreRefusedError
from cairn.store import Store, StoreKind
from cairn.store import shared as sharing
from cairn.store.layout import create_layout
from cairn.store.shared import file_system_of, open_shared, require_capable
from cairn.store.used import touch_last_used
from tests.store.samples import contents, identity, publish

MOUNTS = """\
22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/root rw
30 22 0:5 / /tmp rw - tmpfs tmpfs rw
40 22 0:40 / /mnt/team rw,relatime shared:3 master:1 - nfs4 server:/team rw
41 40 0:41 / /mnt/team/local rw - xfs /dev/sdb rw
42 22 0:42 / /mnt/with\\040space rw - cifs //server/share rw
43 22 0:43 / /mnt/dätä rw - nfs server:/data rw
44 22 0:44 / /mnt/over rw - ext4 /dev/sdc rw
45 22 0:45 / /mnt/over rw - fuse.sshfs me@server: rw
"""


@pytest.fixture
def mounts(tmp_path: Path) -> str:
    path = tmp_path / "mountinfo"
    path.write_text(MOUNTS, encoding="utf-8")
    return str(path)


@pytest.mark.requirement("ROOT.3")
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/store", "ext4"),
        ("/mnt/team/store", "nfs4"),
        ("/mnt/team", "nfs4"),
        ("/mnt/teams/store", "ext4"),
        ("/mnt/team/local/store", "xfs"),
        ("/mnt/with space/store", "cifs"),
        ("/mnt/dätä/store", "nfs"),
        ("/mnt/over/store", "fuse.sshfs"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(path: str, kind: str, mounts: str) -> None:
    assert file_system_of(path, mounts) == kind


def test_the_real_mount_table_can_be_read(tmp_path: Path) -> None:
    assert file_system_of(str(tmp_path))


@pytest.mark.requirement("ROOT.3")
@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p"])
def test_network_file_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    # A test can't mount one.
    monkeypatch.setattr(sharing, "file_system_of", lambda path: kind)
    with pytest.raises(StoreRefusedError, match=kind):
        open_shared(str(tmp_path / "store"), identity())
    assert not (tmp_path / "store").exists()


@pytest.mark.requirement("ROOT.3")
def test_a_shared_store_refuses_other_settings(tmp_path: Path) -> None:
    path = str(tmp_path / "store")
    mine = identity()
    store = Store(open_shared(path, mine), mine)
    publish(store, {"a.py": "walrus\n"})
    assert open_shared(path, mine) == store.layout
    with pytest.raises(StoreRefusedError, match="other index settings"):
        open_shared(path, identity(fingerprint="0" * 64))
    with store.view() as view:
        assert contents(view) == {"a.py": "walrus\n"}


@pytest.mark.requirement("ROOT.3")
@pytest.mark.requirement("STO.9")
@pytest.mark.parametrize("state", [None, b"", b"{", b"[]"])
def test_other_settings_are_refused_though_the_state_file_is_lost(tmp_path: Path, state: bytes | None) -> None:
    path = str(tmp_path / "store")
    store = Store(open_shared(path, identity()), identity())
    publish(store, {"a.py": "walrus\n"})
    os.unlink(store.layout.index_state)
    if state is not None:
        Path(store.layout.index_state).write_bytes(state)
    with pytest.raises(StoreRefusedError, match="other index settings"):
        open_shared(path, identity(fingerprint="0" * 64))


@pytest.mark.requirement("STO.2")
def test_a_store_never_changes_its_kind(tmp_path: Path) -> None:
    for made, asked in ((StoreKind.PRIVATE, StoreKind.SHARED), (StoreKind.SHARED, StoreKind.PRIVATE)):
        path = str(tmp_path / made.name)
        create_layout(path, made)
        with pytest.raises(StoreRefusedError, match=made.name.lower()):
            create_layout(path, asked)
        assert create_layout(path, made).kind is made
    with pytest.raises(StoreRefusedError):
        open_shared(str(tmp_path / "PRIVATE"), identity())


@pytest.mark.requirement("ROOT.3")
def test_the_probe_leaves_nothing_behind(tmp_path: Path) -> None:
    layout = open_shared(str(tmp_path / "store"), identity())
    require_capable(layout)
    assert os.listdir(layout.cache) == []


@pytest.mark.requirement("ROOT.3")
def test_a_file_system_that_lies_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = create_layout(str(tmp_path / "store"), StoreKind.SHARED)
    real_open, real_rename = os.open, os.rename

    # No file system at hand breaks these promises, so the calls do.
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", lambda path, flags, mode=0o777: real_open(path, flags & ~os.O_EXCL, mode))
        with pytest.raises(StoreRefusedError, match="exclusive"):
            require_capable(layout)

    def lossy_rename(source: str, target: str) -> None:
        real_rename(source, target)
        Path(target).write_bytes(b"")

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", lossy_rename)
        with pytest.raises(StoreRefusedError, match="read back"):
            require_capable(layout)

    def no_fsync(fd: int) -> None:
        raise OSError(22, "Invalid argument")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_fsync)
        with pytest.raises(StoreRefusedError, match="Invalid argument"):
            require_capable(layout)
    assert os.listdir(layout.cache) == []


@pytest.mark.requirement("STO.2")
def test_the_note_of_the_last_use_is_the_groups_too(tmp_path: Path) -> None:
    layout = create_layout(str(tmp_path / "data" / "store"), StoreKind.SHARED)
    touch_last_used(layout)
    assert os.stat(os.path.join(layout.cache, "last_used")).st_mode & 0o777 == 0o660
