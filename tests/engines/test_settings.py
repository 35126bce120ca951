"""Which engine is chosen, where its server is, and who may say so."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

from cairn.base.errors import CairnError, ConfigError, EngineMissingError, StoreRefusedError
from cairn.codebase.codebase import Codebase
from cairn.config.project import Config, parse_config
from cairn.config.user import cairn_home
from cairn.engines import chunk_vectors, engine_named, lies_outside
from cairn.engines.settings import LanceSettings, MilvusSettings, chosen_engine, lance_settings, milvus_settings
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.registry import Registry
from cairn.store.inventory import list_stores
from cairn.store.store import DATA_FOLDER
from tests.trees import Repo


def configure(text: str) -> None:
    home = Path(cairn_home())
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(text)


def test_flat_is_the_engine_where_nobody_says_otherwise() -> None:
    assert chosen_engine("") == "flat"


def test_the_environment_goes_before_the_repository_and_that_before_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    configure('[index]\nengine = "lancedb"\n')
    assert chosen_engine("") == "lancedb"
    assert chosen_engine("flat") == "flat"
    monkeypatch.setenv("CAIRN_ENGINE", "milvus")
    assert chosen_engine("flat") == "milvus"


@pytest.mark.parametrize(
    "text", ['[index]\nengine = "oracle"', "[index]\nengine = 3", "[index]\nengines = 1", "index = 1", "[index"]
)
def test_nonsense_in_the_users_file_is_refused(text: str) -> None:
    configure(text)
    with pytest.raises(ConfigError):
        chosen_engine("")


def test_nonsense_in_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_ENGINE", "oracle")
    with pytest.raises(ConfigError, match=r"CAIRN_ENGINE.*oracle"):
        chosen_engine("")


def test_addresses_come_from_the_user_and_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (milvus_settings(), lance_settings()) == (MilvusSettings(), LanceSettings())
    configure(
        '[milvus]\nuri = "https://milvus.test:19530"\ntimeout_s = 2\nexact = false\n[lancedb]\nuri = "s3://b/c"\n'
    )
    assert milvus_settings() == MilvusSettings("https://milvus.test:19530", timeout_s=2, exact=False)
    assert lance_settings() == LanceSettings("s3://b/c")
    monkeypatch.setenv("CAIRN_MILVUS_URI", "http://other.test:1")
    assert milvus_settings().uri == "http://other.test:1"


@pytest.mark.requirement("SEC.1")
@pytest.mark.parametrize("section", ["milvus", "lancedb"])
def test_a_repository_names_no_address(section: str) -> None:
    with pytest.raises(ConfigError, match="belongs in"):
        parse_config(f'[{section}]\nuri = "http://evil.test:1"\n'.encode())
    with pytest.raises(ConfigError, match="unknown key"):
        parse_config(b'[index]\nuri = "http://evil.test:1"\n')


@pytest.mark.parametrize(
    "text",
    [
        'uri = "milvus.test"',
        'uri = "file:///etc"',
        'uri = "http://milvus.test/else"',
        'uri = "http://milvus.test:19530?token=x"',
        'uri = "http://milvus.test:port"',
        'uri = "http://milvus.test:0"',
        "uri = 3",
        'uri = ""',
        "timeout_s = 0",
        "timeout_s = true",
        "timeout_s = 10000",
        'exact = "yes"',
        'token_env = "a b"',
        'database = "a\\nb"',
        "else = 1",
    ],
)
def test_nonsense_about_a_server_is_refused(text: str) -> None:
    configure(f"[milvus]\n{text}\n")
    with pytest.raises(ConfigError):
        milvus_settings()


@pytest.mark.parametrize("section", ["Milvus", "MILVUS"])
def test_a_section_in_other_letters_is_not_passed_over(section: str) -> None:
    configure(f'[{section}]\nuri = "http://milvus.test:1"\n')
    with pytest.raises(ConfigError, match=rf"{section}.*Perhaps milvus is meant") as caught:
        milvus_settings()
    assert "config.toml" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("http://milvus.test", "http://milvus.test:19530"),
        ("https://milvus.test/", "https://milvus.test:443"),
        ("https://milvus.test:19530", "https://milvus.test:19530"),
        ("http://[::1]:1", "http://[::1]:1"),
    ],
)
def test_a_server_may_be_named_without_its_port(text: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_MILVUS_URI", text)
    assert milvus_settings().address == address
    configure('[milvus]\ndatabase = "code"\n')
    assert milvus_settings().address == f"{address}/code"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("s3://bucket/cairn/", "s3://bucket/cairn"),
        ("gs://bucket", "gs://bucket"),
        ("/srv/vectors/", "/srv/vectors"),
        ("file:///srv/some%20vectors", "/srv/some vectors"),
        ("file://localhost/srv/vectors", "/srv/vectors"),
    ],
)
def test_tables_lie_in_an_object_store_or_a_folder(text: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_LANCEDB_URI", text)
    assert lance_settings().address == address


def test_the_home_folder_is_meant_by_its_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_LANCEDB_URI", "~/vectors")
    assert lance_settings().address == f"{os.environ['HOME']}/vectors"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("vectors", "relative"),
        ("./vectors", "relative"),
        ("db://cloud", "begins with"),
        ("nonsense://bucket", "begins with"),
        ("file://other-host/srv", "begins with"),
        ("s3://", "no bucket"),
        ("s3:///folder", "no bucket"),
        ("s3://key:secret@bucket/x", "more than an address"),
        ("s3://bucket/x?secret=1", "more than an address"),
        ("s3://key:secret/bucket/x", "more than an address"),
        ("s3://bucket:secret", "more than an address"),
        ("s3://bucket/x;key=secret", "more than an address"),
        ("s3://bucket;secret/x", "more than an address"),
        ("s3://bucket/x&key=secret", "more than an address"),
        ("s3://bucket/key:secret@there", "more than an address"),
        ("s3://bucket#secret", "more than an address"),
        ("/srv/vectors?key=secret", "more than an address"),
        ("file://key:secret@host/srv", "more than an address"),
        ("key:secret@bucket", "begins with"),
        ("https://bucket/secret", "begins with"),
        ("s3:/[secret", "no bucket"),
        ("s3://[secret", "begins with"),
        ("key=secret", "relative"),
        ("secret\x7f", "one line"),
        ("secret" * 200, "one line"),
    ],
)
def test_nonsense_about_tables_is_refused(text: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_LANCEDB_URI", text)
    with pytest.raises(ConfigError, match=what) as caught:
        lance_settings()
    assert "secret" not in json.dumps(caught.value.envelope())
    if what == "more than an address":
        assert "AWS_ACCESS_KEY_ID" in caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        'uri = "http://me:secret@milvus.test:1"',
        'uri = "http://me:secret@milvus.test:port"',
        'uri = "me:secret@milvus.test"',
        'uri = "http://milvus.test:secret"',
        'uri = "http://milvus.test;secret:1"',
        'uri = "http://milvus.test:1/secret"',
        'uri = "http://milvus.test:1?token=secret"',
        'uri = "http://[secret::1]:1"',
        'token = "secret"',
        'password = "secret"',
        'api_key = "secret"',
        'User = "secret"',
    ],
)
def test_a_secret_is_not_taken_from_the_file_and_not_repeated(text: str) -> None:
    configure(f"[milvus]\n{text}\n")
    with pytest.raises(ConfigError) as caught:
        milvus_settings()
    assert "secret" not in json.dumps(caught.value.envelope())
    assert "CAIRN_MILVUS_TOKEN" in caught.value.hint


@pytest.mark.parametrize("text", ['token_env = "me:secret"', 'uri = "secret\\n"', "uri = ['secret']"])
def test_a_secret_in_the_wrong_place_is_not_repeated(text: str) -> None:
    configure(f"[milvus]\n{text}\n")
    with pytest.raises(ConfigError, match="is refused; give") as caught:
        milvus_settings()
    assert "secret" not in json.dumps(caught.value.envelope())


@pytest.mark.parametrize(("name", "package"), [("lancedb", "lancedb"), ("milvus", "pymilvus")])
def test_an_engine_that_is_not_installed_is_refused_with_the_command(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(EngineMissingError, match="is not installed") as caught:
        engine_named(name, str(tmp_path))
    assert caught.value.hint == f"Run `pip install 'cairn-index[{name}]'`."


def test_what_lies_in_the_segment_lies_nowhere_else(tmp_path: Path) -> None:
    assert lies_outside("flat", str(tmp_path)) is None
    assert chunk_vectors("flat", "f" * 64, 16) is None
    assert chunk_vectors("milvus", "f" * 64, 16) is None


def test_the_engine_is_one_part_of_the_fingerprint_and_nothing_else_of_it_changes(repo: Repo) -> None:
    repo.write("a.py")
    with Codebase(str(repo.path)) as codebase:
        plain = codebase.identity
        others = {codebase.identity_with(name).config_fingerprint for name in ("lancedb", "milvus")}
    assert len(others | {plain.config_fingerprint}) == 3
    repo.write(".cairn.toml", '[index]\nengine = "flat"\n')
    with Codebase(str(repo.path)) as codebase:
        assert codebase.identity == plain
    repo.write(".cairn.toml", '[index]\nengine = "lancedb"\n')
    with Codebase(str(repo.path)) as codebase:
        assert codebase.identity.engine == "lancedb"
        assert codebase.identity_with("flat") == plain
        assert codebase.parts()["vectorStoreProvider"] == "lancedb"
    assert parse_config(b'[index]\nengine = "milvus"\n') == Config(engine="milvus")


def have_installed(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Of the packages of engines, only those that are named."""
    find = importlib.util.find_spec

    def found(name: str) -> object:
        return find(name) if name not in ("lancedb", "pymilvus", "milvus_lite") else name if name in names else None

    monkeypatch.setattr("importlib.util.find_spec", found)


@pytest.mark.parametrize(
    ("engine", "installed", "environment", "error"),
    [
        ("lancedb", (), {}, EngineMissingError),
        ("milvus", (), {}, EngineMissingError),
        ("milvus", ("pymilvus",), {}, EngineMissingError),
        ("lancedb", ("lancedb",), {"CAIRN_LANCEDB_URI": "relative"}, ConfigError),
        ("milvus", ("pymilvus",), {"CAIRN_MILVUS_URI": "milvus.test"}, ConfigError),
    ],
)
def test_nothing_is_left_of_an_index_whose_engine_can_t_be_used(
    engine: str,
    installed: tuple[str, ...],
    environment: dict[str, str],
    error: type[CairnError],
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo.write("a.py", "x = 1\n")
    have_installed(monkeypatch, *installed)
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
    before = (list_stores(cairn_home()), Registry(cairn_home()).all())
    folders = sorted(Path(cairn_home(), DATA_FOLDER).iterdir())
    monkeypatch.setenv("CAIRN_ENGINE", engine)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Codebase(str(repo.path)) as codebase:
        for ask in (lambda: codebase.index(SyncOptions(reindex=True)), lambda: codebase.migrate(engine)):
            with pytest.raises(error):
                ask()
    assert (list_stores(cairn_home()), Registry(cairn_home()).all()) == before
    assert sorted(Path(cairn_home(), DATA_FOLDER).iterdir()) == folders
    other = Repo.create(repo.path.parent / "other")
    other.write("b.py", "y = 1\n")
    with Codebase(str(other.path)) as codebase, pytest.raises(error):
        codebase.index()
    assert (list_stores(cairn_home()), Registry(cairn_home()).all()) == before


def test_nothing_is_left_of_a_shared_store_that_lite_can_t_serve(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py", "x = 1\n")
    have_installed(monkeypatch, "pymilvus", "milvus_lite")
    monkeypatch.setenv("CAIRN_ENGINE", "milvus")
    with (
        Codebase(str(repo.path), shared_store=str(tmp_path / "shared")) as codebase,
        pytest.raises(StoreRefusedError, match="one process of one user"),
    ):
        codebase.index()
    assert not (tmp_path / "shared").exists()
