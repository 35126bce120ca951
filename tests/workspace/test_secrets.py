"""Secrets by name, by inode and by content: none is indexed, and no door gives one."""

import os
from pathlib import Path

import pytest

from cairn.base.errors import RefusedError
from cairn.config.project import IndexSettings
from cairn.workspace.beneath import Beneath
from cairn.workspace.scan import Scanner
from cairn.workspace.secrets import is_private_key, is_secret, require_no_secret
from tests.trees import write

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n"


def outcome(root: Path) -> tuple[list[str], dict[str, str]]:
    """The files that count, and the details of the secrets that don't."""
    with Beneath(str(root)) as tree:
        scan = Scanner(tree, IndexSettings()).scan()
    return [entry.key for entry in scan.files], {s.path: s.detail for s in scan.skips if s.reason == "secret"}


def refused(root: Path, key: str) -> bool:
    with Beneath(str(root)) as tree:
        try:
            require_no_secret(tree, key, (root / key).read_bytes())
        except RefusedError:
            return True
        return False


@pytest.mark.requirement("SEC.3")
@pytest.mark.parametrize(
    "name",
    [
        "prod.env", "prod.env.local", "Prod.Env", "service-account.json", "service-account-7.json",
        "service_account.json", "secrets.yml", "secrets.yaml", "secrets.json", "credentials.json",
        ".aws_credentials", "credentials", "aws-credentials.ini", "user_credentials.csv",
        "terraform.tfvars", "terraform.tfvars.json", "prod.auto.tfvars", "main.tfstate", "main.tfstate.backup",
        ".pgpass", ".git-credentials", "id_github", "id_work.bak",
    ],
)  # fmt: skip
def test_stores_of_credentials_are_secrets_by_name(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "environment.py",
        "id_map.py",
        "id.py",
        "account.json",
        "secrets.py",
        "tfstate.md",
        "credentials.py",
        "credentials.md",
    ],
)
def test_code_with_such_words_in_its_name_is_none(name: str) -> None:
    assert not is_secret(name)


@pytest.mark.requirement("SEC.3")
def test_names_that_are_secrets_in_one_folder_only(folder: Path) -> None:
    for name in (".kube/config", ".kube/notes.md", "a/.docker/config.json", "docker/config.json", "config"):
        write(folder, name)
    files, secrets = outcome(folder)
    assert files == [".kube/notes.md", "config", "docker/config.json"]
    assert sorted(secrets) == [".kube/config", "a/.docker/config.json"]
    assert [refused(folder, name) for name in (*secrets, *files)] == [True, True, False, False, False]


@pytest.mark.requirement("SEC.3")
@pytest.mark.parametrize("secret", [".env", ".ssh/mykey", "ignored/deep/.env"])
def test_another_hard_link_of_a_secret_is_a_secret(folder: Path, secret: str) -> None:
    """Also where a rule leaves the secret itself out of the index."""
    write(folder, ".gitignore", "/.env\n/ignored/\n")
    write(folder, secret, "TOKEN=hidden\n")
    write(folder, "plain.txt", "x\n")
    os.link(folder / secret, folder / "notes.txt")
    os.link(folder / "plain.txt", folder / "twin.txt")
    (folder / "soft.txt").symlink_to("notes.txt")
    files, secrets = outcome(folder)
    assert files == [".gitignore", "plain.txt", "twin.txt"]
    assert secrets["notes.txt"] == f"another name of {secret}"
    assert [refused(folder, name) for name in ("notes.txt", "soft.txt", "twin.txt")] == [True, True, False]


@pytest.mark.requirement("SEC.3")
def test_a_kept_scanner_sees_a_file_become_a_secret_and_an_ordinary_file_again(folder: Path) -> None:
    write(folder, "a.py")
    write(folder, "b.py")
    with Beneath(str(folder)) as tree:
        scanner = Scanner(tree, IndexSettings())

        def files() -> list[str]:
            return [entry.key for entry in scanner.scan().files]

        while scanner.scan().hashed:
            pass
        os.link(folder / "a.py", folder / ".env")
        assert files() == ["b.py"]
        (folder / ".env").rename(folder / "c.py")
        assert files() == ["a.py", "b.py", "c.py"]
        (folder / "b.py").write_text(KEY)
        assert files() == ["a.py", "c.py"]
        write(folder, ".cairnignore", "!b.py\n")
        assert files() == [".cairnignore", "a.py", "b.py", "c.py"]
        (folder / ".cairnignore").unlink()
        assert files() == ["a.py", "c.py"]


@pytest.mark.requirement("SEC.3")
@pytest.mark.parametrize(
    "text",
    [
        KEY,
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n",
        "PuTTY-User-Key-File-3: ssh-ed25519\n",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n",
        "\ufeff" + KEY,
        "\n \r\n" + KEY,
    ],
)
def test_a_private_key_is_a_secret_whatever_its_name(folder: Path, text: str) -> None:
    write(folder, "notes.txt", text)
    assert outcome(folder) == ([], {"notes.txt": "a private key"})
    assert refused(folder, "notes.txt")


@pytest.mark.parametrize("text", ["-----BEGIN PUBLIC KEY-----\n", "-----BEGIN CERTIFICATE-----\n", "see\n" + KEY, ""])
def test_what_only_speaks_of_keys_is_none(text: str) -> None:
    assert not is_private_key(text.encode())


@pytest.mark.requirement("SEC.3")
def test_a_rule_of_cairnignore_takes_a_secret_back_whatever_made_it_one(folder: Path) -> None:
    write(folder, ".env", "TOKEN=1\n")
    write(folder, "other/.env", "TOKEN=1\n")
    write(folder, "key.txt", KEY)
    os.link(folder / ".env", folder / "notes.txt")
    write(folder, ".cairnignore", "!/.env\n!key.txt\n")
    files, secrets = outcome(folder)
    assert files == [".cairnignore", ".env", "key.txt", "notes.txt"]
    assert list(secrets) == ["other/.env"]
    assert [refused(folder, name) for name in (*files, "other/.env")] == [False] * 4 + [True]
