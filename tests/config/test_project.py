"""`.cairn.toml`: what it may say, what it can never say, and the fingerprints made from it."""

import hashlib
import os
import string
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cairn.base.errors import CairnError, ConfigError, OutOfRootError
from cairn.codebase.codebase import plan_index
from cairn.config.project import (
    CONFIG_NAME,
    MAX_CONFIG_BYTES,
    Artifacts,
    Config,
    IndexSettings,
    QuerySettings,
    config_fingerprint,
    ignore_fingerprint,
    parse_config,
    query_fingerprint,
)
from cairn.workspace.beneath import Beneath
from cairn.workspace.detector import read_config
from cairn.workspace.eligibility import SkipReason
from tests.trees import Repo, write

NOBODY = 65534
ARTIFACTS = Artifacts(
    model="static-128@abc",
    dimension=128,
    engine="flat",
    grammars={"python": "0.23.6", "go": "0.23.4"},
    chunker_version="1",
    schema_versions={"manifest": 1, "rows": 1},
)

# Every setting with a value that is allowed and differs from the default.
OTHER_INDEX_VALUES: dict[str, tuple[str, Any]] = {
    "max_file_bytes": ("1000", 1000),
    "max_chunks_per_file": ("7", 7),
    "max_sync_bytes": ("12345", 12345),
    "chunk_bytes": ("800", 800),
    "include": ('["*.png"]', ("*.png",)),
    "exclude": ('["generated/"]', ("generated/",)),
    "untracked": ("false", False),
    "submodules": ("true", True),
    "case_collisions": ('"allow"', "allow"),
}
OTHER_QUERY_VALUES: dict[str, tuple[str, Any]] = {
    "limit": ("25", 25),
    "mode": ('"docs"', "docs"),
    "signals_off": ('["stem"]', ("stem",)),
}


def index_config(**values: str) -> Config:
    lines = [f"{key} = {value}" for key, value in values.items()]
    return parse_config("\n".join(["[index]", *lines]).encode())


def refusal(text: str | bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse_config(text.encode() if isinstance(text, str) else text)
    assert caught.value.code == "config_invalid"
    assert caught.value.exit_code == 2
    assert caught.value.hint
    return caught.value


@contextmanager
def not_as_root() -> Iterator[None]:
    """File permissions bind only those who are not root; the process is root's in a container."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.requirement("CFG.1")
def test_without_a_file_the_defaults_hold() -> None:
    config = parse_config(None)
    assert config == Config()
    assert config == parse_config(b"")
    assert config.index == IndexSettings(
        max_file_bytes=10_485_760,
        max_chunks_per_file=2000,
        max_sync_bytes=268_435_456,
        chunk_bytes=1500,
        include=(),
        exclude=(),
        untracked=None,
        submodules=False,
        case_collisions="block",
    )
    assert config.query == QuerySettings(limit=10, mode="auto")


@pytest.mark.requirement("GIT.1")
@pytest.mark.parametrize("written", [None, True, False])
def test_untracked_files_are_in_by_default_and_out_of_a_shared_store_unless_the_setting_says(
    written: bool | None,
) -> None:
    index = parse_config(None if written is None else f"[index]\nuntracked = {str(written).lower()}".encode()).index
    assert index.includes_untracked(shared=False) is (True if written is None else written)
    assert index.includes_untracked(shared=True) is (False if written is None else written)


@pytest.mark.parametrize("key", [field.name for field in fields(IndexSettings)])
def test_every_index_setting_can_be_given(key: str) -> None:
    written, value = OTHER_INDEX_VALUES[key]
    assert parse_config(f"[index]\n{key} = {written}\n".encode()).index == replace(IndexSettings(), **{key: value})


@pytest.mark.parametrize("key", [field.name for field in fields(QuerySettings)])
def test_every_query_setting_can_be_given(key: str) -> None:
    written, value = OTHER_QUERY_VALUES[key]
    assert parse_config(f"[query]\n{key} = {written}\n".encode()).query == replace(QuerySettings(), **{key: value})


@pytest.mark.requirement("CFG.1")
def test_an_unknown_section_is_named_with_the_allowed_ones() -> None:
    error = refusal("[indx]\nuntracked = true\n")
    assert '"indx"' in error.message
    assert "[index]" in error.message
    assert "[query]" in error.message


@pytest.mark.requirement("CFG.1")
def test_a_setting_outside_of_any_section_is_named() -> None:
    assert '"max_file_bytes"' in refusal("max_file_bytes = 5\n").message


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize("section", ["index", "query"])
def test_an_unknown_key_is_named_with_its_section_and_the_allowed_keys(section: str) -> None:
    error = refusal(f"[{section}]\nmax_filesize = 5\n")
    assert f'{section}."max_filesize"' in error.message
    known = IndexSettings if section == "index" else QuerySettings
    for field in fields(known):
        assert field.name in error.message


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize("written", ["3", '"all"', "[1]", "true"])
@pytest.mark.parametrize("section", ["index", "query"])
def test_a_section_that_is_no_table_is_named(section: str, written: str) -> None:
    error = refusal(f"{section} = {written}\n")
    assert f"[{section}]" in error.message
    assert written.strip("[]") in error.message


@pytest.mark.requirement("CFG.1")
def test_an_array_of_sections_is_named() -> None:
    assert "[index]" in refusal("[[index]]\nuntracked = true\n").message


BAD_VALUES = [
    ("index.max_file_bytes", "true", "true", "a whole number from 1 to 10485760"),
    ("index.max_file_bytes", '"10"', '"10"', "a whole number from 1 to 10485760"),
    ("index.max_file_bytes", "1.5", "1.5", "a whole number from 1 to 10485760"),
    ("index.max_file_bytes", "0", "0", "a whole number from 1 to 10485760"),
    ("index.max_file_bytes", "-1", "-1", "a whole number from 1 to 10485760"),
    ("index.max_file_bytes", "10_485_761", "10485761", "a whole number from 1 to 10485760"),
    ("index.max_chunks_per_file", "0", "0", "a whole number from 1 to 2000"),
    ("index.max_chunks_per_file", "-5", "-5", "a whole number from 1 to 2000"),
    ("index.max_chunks_per_file", "2001", "2001", "a whole number from 1 to 2000"),
    ("index.max_sync_bytes", "0", "0", "a whole number from 1 to 268435456"),
    ("index.max_sync_bytes", "-1", "-1", "a whole number from 1 to 268435456"),
    ("index.max_sync_bytes", "268_435_457", "268435457", "a whole number from 1 to 268435456"),
    ("index.max_sync_bytes", "inf", "Infinity", "a whole number from 1 to 268435456"),
    ("index.max_sync_bytes", "1979-05-27", "1979-05-27", "a whole number from 1 to 268435456"),
    ("index.chunk_bytes", "false", "false", "a whole number from"),
    ("index.chunk_bytes", "0", "0", "a whole number from"),
    ("index.chunk_bytes", "1_000_000", "1000000", "a whole number from"),
    ("index.untracked", "1", "1", "true or false"),
    ("index.untracked", '"yes"', '"yes"', "true or false"),
    ("index.submodules", "0", "0", "true or false"),
    ("index.submodules", "[]", "[]", "true or false"),
    ("index.case_collisions", '"ignore"', '"ignore"', 'one of "block", "allow"'),
    ("index.case_collisions", "true", "true", 'one of "block", "allow"'),
    ("index.case_collisions", '["block"]', '["block"]', 'one of "block", "allow"'),
    ("index.include", '"*.png"', '"*.png"', "a list of at most"),
    ("index.include", "[1]", "[1]", "a list of at most"),
    ("index.include", '[["*.png"]]', '[["*.png"]]', "a list of at most"),
    ("index.exclude", "true", "true", "a list of at most"),
    ("query.limit", "true", "true", "a whole number from 1 to"),
    ("query.limit", "0", "0", "a whole number from 1 to"),
    ("query.limit", "100_000", "100000", "a whole number from 1 to"),
    ("query.mode", '"fast"', '"fast"', 'one of "auto", "code", "docs", "symbol"'),
    ("query.mode", "1", "1", 'one of "auto", "code", "docs", "symbol"'),
    ("query.mode", "{}", "{}", 'one of "auto", "code", "docs", "symbol"'),
]


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize(("key", "written", "shown", "allowed"), BAD_VALUES)
def test_a_bad_value_is_refused_with_key_value_and_what_is_allowed(
    key: str, written: str, shown: str, allowed: str
) -> None:
    section, name = key.split(".")
    message = refusal(f"[{section}]\n{name} = {written}\n").message
    assert f"{key} = " in message
    assert shown in message
    assert allowed in message


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize("key", ["include", "exclude"])
@pytest.mark.parametrize(
    "pattern", ["!*.py", "!", "#x", "", "   ", "\\t", "a\\u0000b", "a\\nb", "a\\rb", "a\\n!b", "a" * 1001]
)
def test_a_pattern_can_neither_negate_nor_smuggle_in_a_second_line(key: str, pattern: str) -> None:
    message = refusal(f'[index]\n{key} = ["ok.txt", "{pattern}"]\n').message
    assert f"index.{key}" in message
    assert "'!'" in message


@pytest.mark.requirement("CFG.1")
def test_the_number_of_patterns_is_bounded() -> None:
    assert len(index_config(exclude=str([f"p{n}" for n in range(200)])).index.exclude) == 200
    message = refusal("[index]\nexclude = " + str([f"p{n}" for n in range(201)])).message
    assert "index.exclude" in message
    assert "200" in message


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize(
    "text", ["[index", "a = ", "[index]\n[index]\n", "[index]\nuntracked = tru\n", "\ufeff[index]"]
)
def test_bad_toml_is_a_config_error_that_says_so(text: str) -> None:
    assert "not valid TOML" in refusal(text).message


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize("data", [b"[index]\n# \xff\n", "[index]\n# ä\n".encode("latin-1"), "[index]".encode("utf-16")])
def test_a_file_that_is_not_utf8_is_a_config_error_that_says_so(data: bytes) -> None:
    assert "UTF-8" in refusal(data).message


@pytest.mark.requirement("CFG.1")
def test_a_file_above_the_size_limit_is_refused_and_one_at_the_limit_is_not() -> None:
    assert parse_config(b"#" * MAX_CONFIG_BYTES) == Config()
    message = refusal(b"#" * (MAX_CONFIG_BYTES + 1)).message
    assert str(MAX_CONFIG_BYTES) in message
    assert str(MAX_CONFIG_BYTES + 1) in message


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize(
    "text",
    [
        '[index]\nmode = "\\u001b[31m\\u009b\\u007f"\n',
        '[index]\ncase_collisions = "\\u001b[31m\\u009b\\u007f\\u202e"\n',
        '[index]\n"\\u001b]0;x\\u0007\\u009b" = 1\n',
        '["\\u001b[2J\\u007f"]\nx = 1\n',
        '"\\u009bx" = 1\n',
        '[index]\nexclude = ["\\u001b[2J", ""]\n',
        "[index]\nuntracked = \x1b[31m\n",
        '"\\u001b" = 1\n"\\u001b" = 2\n',
    ],
)
def test_control_characters_of_the_file_come_out_escaped(text: str) -> None:
    message = refusal(text).message
    assert message.isascii()
    assert message.isprintable()


@pytest.mark.requirement("CFG.1")
def test_a_long_value_does_not_flood_the_message() -> None:
    assert len(refusal('[index]\ncase_collisions = "' + "x" * 50_000 + '"\n').message) < 400


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize(
    "text",
    [
        "[index]\nmax_file_bytes = " + "9" * 5000,
        "[index]\nmax_file_bytes = -" + "9" * 5000,
        "[index]\nmax_file_bytes = 0x" + "f" * 50_000,
        "[index]\nunknown = " + "9" * 5000,
    ],
    ids=["decimal", "negative", "hexadecimal", "unknown key"],
)
def test_a_number_too_long_to_convert_is_a_config_error(text: str) -> None:
    assert CONFIG_NAME in refusal(text).message


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize(
    "text",
    [
        "[index]\nuntracked = " + "[" * 30_000,
        "[index]\nuntracked = " + "{a=" * 20_000,
        "[index]\nuntracked" + ".a" * 2000 + " = 1\n",
        "[index.untracked" + ".a" * 2000 + "]\n",
        "query" + ".a" * 2000 + " = 1\n",
    ],
    ids=["arrays", "inline tables", "dotted key", "dotted section", "dotted from the top"],
)
def test_nesting_without_end_is_a_config_error(text: str) -> None:
    assert CONFIG_NAME in refusal(text).message


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize("section", ["index", "query"])
@pytest.mark.parametrize(
    "key",
    [
        "root", "roots", "path", "paths", "follow_symlinks", "symlinks", "symlink_policy", "max_hops", "gitignore",
        "no_ignore", "ignore", "ignore_files", "respect_gitignore", "cairnignore", "secrets", "include_secrets",
        "endpoint", "server", "model", "model_path", "command", "engine", "home",
    ],
)  # fmt: skip
def test_no_key_touches_root_links_ignore_rules_or_the_outside_world(section: str, key: str) -> None:
    for value in ("true", '"/"', '["/etc"]', "100"):
        assert key in refusal(f"[{section}]\n{key} = {value}\n").message


@pytest.mark.requirement("CFG.1")
def test_include_does_not_bring_back_what_is_ignored_secret_or_outside(repo: Repo, tmp_path: Path) -> None:
    write(tmp_path, "outside/stolen.py", "stolen = 1\n")
    repo.write(".gitignore", "ignored.py\nbuild/\n")
    repo.write(".cairnignore", "own.py\n")
    repo.write("ignored.py")
    repo.write("own.py")
    repo.write("build/made.py")
    repo.write(".env", "TOKEN=1\n")
    repo.write("server.key", "k\n")
    repo.write("kept.py")
    (repo.path / "link.py").symlink_to(tmp_path / "outside/stolen.py")
    (repo.path / "far").symlink_to(tmp_path / "outside")
    wide = ["*", "**", "/ignored.py", "ignored.py", "build/**", "own.py", ".env", "*.key", "link.py", "../**"]
    repo.write(CONFIG_NAME, f"[index]\ninclude = {wide}\n")

    scan = plan_index(str(repo.path)).detection.scan

    assert [entry.key for entry in scan.files] == [".cairn.toml", ".cairnignore", ".gitignore", "kept.py"]
    assert {skip.path: skip.reason for skip in scan.skips} == {
        ".env": SkipReason.SECRET,
        "build/": SkipReason.IGNORED,
        "far": SkipReason.OUT_OF_ROOT,
        "ignored.py": SkipReason.IGNORED,
        "link.py": SkipReason.OUT_OF_ROOT,
        "own.py": SkipReason.IGNORED,
        "server.key": SkipReason.SECRET,
    }


@pytest.mark.requirement("CFG.1")
def test_exclude_takes_away_even_what_cairnignore_asks_for(repo: Repo) -> None:
    repo.write(".cairnignore", "!a.py\n")
    repo.write("a.py")
    repo.write("b.py")
    repo.write(CONFIG_NAME, '[index]\nexclude = ["a.py"]\n')
    scan = plan_index(str(repo.path)).detection.scan
    assert "a.py" not in scan.hashes()
    assert "b.py" in scan.hashes()
    assert [(skip.path, skip.detail) for skip in scan.skips] == [("a.py", ".cairn.toml: a.py")]


@pytest.mark.requirement("CFG.2")
@pytest.mark.parametrize(
    ("key", "hard_limit"),
    [("max_file_bytes", 10 * 1024**2), ("max_chunks_per_file", 2000), ("max_sync_bytes", 256 * 1024**2)],
)
def test_a_hard_limit_can_be_lowered_and_never_raised(key: str, hard_limit: int) -> None:
    assert getattr(IndexSettings(), key) == hard_limit
    for value in (1, hard_limit - 1, hard_limit):
        assert getattr(index_config(**{key: str(value)}).index, key) == value
    for value in (hard_limit + 1, hard_limit * 1000):
        message = refusal(f"[index]\n{key} = {value}\n").message
        assert f"index.{key} = {value}" in message
        assert str(hard_limit) in message


@pytest.mark.requirement("CFG.2")
def test_a_lowered_limit_has_effect_on_the_tree(repo: Repo) -> None:
    repo.write("small.py", "x" * 50)
    repo.write("large.py", "x" * 51)
    repo.write(".cairnignore", ".cairn.toml\n")
    repo.write(CONFIG_NAME, "[index]\nmax_file_bytes = 50\n")
    scan = plan_index(str(repo.path)).detection.scan
    assert "small.py" in scan.hashes()
    assert ("large.py", SkipReason.TOO_LARGE) in [(skip.path, skip.reason) for skip in scan.skips]


@pytest.mark.requirement("CFG.2")
def test_a_file_of_more_than_ten_mebibytes_is_never_eligible(repo: Repo) -> None:
    # Short chunks would refuse the file for their number first: the longest chunks leave only its size.
    repo.write(CONFIG_NAME, "[index]\nchunk_bytes = 8000\n")
    repo.write("limit.txt", b"x" * 10_485_760)
    repo.write("above.txt", b"x" * 10_485_761)
    scan = plan_index(str(repo.path)).detection.scan
    assert "limit.txt" in scan.hashes()
    assert ("above.txt", SkipReason.TOO_LARGE) in [(skip.path, skip.reason) for skip in scan.skips]


@pytest.mark.requirement("CFG.3")
@pytest.mark.parametrize("key", [field.name for field in fields(IndexSettings)])
def test_each_effective_index_setting_is_in_the_config_fingerprint(key: str) -> None:
    plain = Config()
    changed = replace(plain, index=replace(plain.index, **{key: OTHER_INDEX_VALUES[key][1]}))
    assert config_fingerprint(changed, ARTIFACTS) != config_fingerprint(plain, ARTIFACTS)
    assert query_fingerprint(changed, "1") == query_fingerprint(plain, "1")


@pytest.mark.requirement("CFG.3")
def test_the_index_part_as_written_is_in_the_config_fingerprint() -> None:
    plain, spelled_out = parse_config(None), parse_config(b"[index]\nsubmodules = false\n")
    assert spelled_out.index == plain.index
    assert config_fingerprint(spelled_out, ARTIFACTS) != config_fingerprint(plain, ARTIFACTS)


@pytest.mark.requirement("CFG.3")
@pytest.mark.parametrize(
    "changed",
    [
        replace(ARTIFACTS, model="static-128@def"),
        replace(ARTIFACTS, dimension=256),
        replace(ARTIFACTS, engine="lancedb"),
        replace(ARTIFACTS, grammars={"python": "0.23.7", "go": "0.23.4"}),
        replace(ARTIFACTS, grammars={"python": "0.23.6"}),
        replace(ARTIFACTS, chunker_version="2"),
        replace(ARTIFACTS, schema_versions={"manifest": 2, "rows": 1}),
        replace(ARTIFACTS, schema_versions={"manifest": 1}),
    ],
)
def test_each_artifact_is_in_the_config_fingerprint(changed: Artifacts) -> None:
    assert config_fingerprint(Config(), changed) != config_fingerprint(Config(), ARTIFACTS)


@pytest.mark.requirement("CFG.3")
def test_every_artifact_field_is_tried_above() -> None:
    assert {field.name for field in fields(Artifacts)} == {
        "model",
        "dimension",
        "engine",
        "grammars",
        "chunker_version",
        "schema_versions",
    }


@pytest.mark.requirement("CFG.3")
@pytest.mark.parametrize("key", [field.name for field in fields(QuerySettings)])
def test_a_query_setting_changes_the_query_fingerprint_alone(key: str) -> None:
    plain = parse_config(b"[index]\nchunk_bytes = 800\n")
    tuned = parse_config(f"[index]\nchunk_bytes = 800\n[query]\n{key} = {OTHER_QUERY_VALUES[key][0]}\n".encode())
    assert query_fingerprint(tuned, "1") != query_fingerprint(plain, "1")
    assert config_fingerprint(tuned, ARTIFACTS) == config_fingerprint(plain, ARTIFACTS)


@pytest.mark.requirement("CFG.3")
def test_the_ranking_version_is_in_the_query_fingerprint() -> None:
    assert query_fingerprint(Config(), "1") != query_fingerprint(Config(), "2")


@pytest.mark.requirement("CFG.3")
@pytest.mark.parametrize(
    "text",
    [
        "# why\n[index]\nchunk_bytes = 800 # small\nuntracked = false\n",
        "\r\n[index]\r\n\r\n  chunk_bytes=800\r\n\tuntracked   =   false",
        "[index]\nuntracked = false\nchunk_bytes = 800\n",
        "index = { chunk_bytes = 0x320, untracked = false }\n",
        "[query]\nlimit = 3\n[index]\nchunk_bytes = 8_00\nuntracked = false\n",
        '["index"]\n"chunk_bytes" = 800\n\'untracked\' = false\n',
    ],
)
def test_comments_white_space_order_and_spelling_change_no_fingerprint(text: str) -> None:
    plain = parse_config(b"[index]\nchunk_bytes = 800\nuntracked = false\n")
    assert config_fingerprint(parse_config(text.encode()), ARTIFACTS) == config_fingerprint(plain, ARTIFACTS)


@pytest.mark.requirement("CFG.3")
@pytest.mark.parametrize("text", ["", "# nothing\n", "[index]\n", "[query]\nlimit = 3\n", "[index]\n[query]\n"])
def test_a_file_without_index_settings_is_like_no_file(text: str) -> None:
    assert config_fingerprint(parse_config(text.encode()), ARTIFACTS) == config_fingerprint(Config(), ARTIFACTS)


@pytest.mark.requirement("CFG.3")
def test_the_order_of_patterns_counts_and_a_boundary_between_them_too() -> None:
    prints = [
        config_fingerprint(index_config(exclude=patterns), ARTIFACTS)
        for patterns in ('["a", "b"]', '["b", "a"]', '["a,b"]', '["ab"]', '["a", "b", "b"]')
    ]
    assert len(set(prints)) == len(prints)


@pytest.mark.requirement("CFG.3")
def test_fingerprints_do_not_depend_on_the_order_or_the_type_of_a_mapping() -> None:
    turned = replace(
        ARTIFACTS,
        grammars=MappingProxyType({"go": "0.23.4", "python": "0.23.6"}),
        schema_versions={"rows": 1, "manifest": 1},
    )
    assert config_fingerprint(Config(), turned) == config_fingerprint(Config(), ARTIFACTS)


@pytest.mark.requirement("CFG.3")
def test_fingerprints_are_equal_in_every_process() -> None:
    """They name stores on disk, so nothing of the process that made them may be in them."""
    text = '[index]\nexclude = ["b", "a"]\nuntracked = false\n[query]\nlimit = 3\n'
    code = (
        "import sys; from cairn.config.project import *; config = parse_config(sys.argv[1].encode()); "
        "made = Artifacts('m', 1, 'flat', {'python': '1', 'go': '2', 'c': '3'}, '1', {'rows': 1, 'manifest': 2}); "
        "print(config_fingerprint(config, made), query_fingerprint(config, '1'))"
    )
    answers = {
        subprocess.run(
            (sys.executable, "-c", code, text),
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(answers) == 1


@pytest.mark.requirement("IGN.3")
def test_the_ignore_fingerprint_is_the_hash_that_the_format_describes() -> None:
    files = {"b/.gitignore": b"*.o\n", ".gitignore": b"", "a/é/.gitignore": b"x\0y", ".cairnignore": b"!k\n"}
    expected = hashlib.sha256(
        b".cairnignore\0!k\n" + b".gitignore\0" + "a/é/.gitignore".encode() + b"\0x\0y" + b"b/.gitignore\0*.o\n"
    ).hexdigest()
    assert ignore_fingerprint(files) == expected
    assert ignore_fingerprint({}) == hashlib.sha256(b"").hexdigest()


@pytest.mark.requirement("IGN.3")
def test_the_ignore_fingerprint_sorts_by_bytes_not_by_letters() -> None:
    keys = ["Z/.gitignore", "a/.gitignore", "é/.gitignore", "\uffff/.gitignore", "\U0001f600/.gitignore"]
    expected = hashlib.sha256(b"".join(key + b"\0r" for key in sorted(key.encode() for key in keys))).hexdigest()
    assert ignore_fingerprint(dict.fromkeys(reversed(keys), b"r")) == expected


@pytest.mark.slow
@pytest.mark.requirement("IGN.3")
@settings(max_examples=100)
@given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.binary()), st.randoms(use_true_random=False)
)
def test_the_ignore_fingerprint_is_free_of_dict_order(files: dict[str, bytes], chance: Any) -> None:
    items = list(files.items())
    chance.shuffle(items)
    assert ignore_fingerprint(dict(items)) == ignore_fingerprint(files)


def assert_read_or_refused(data: bytes) -> None:
    refused: ConfigError | None = None
    try:
        config = parse_config(data)
    except ConfigError as error:
        refused = error
    if refused is not None:
        assert refused.message.isprintable()
        assert refused.hint
    else:
        assert 1 <= config.index.max_file_bytes <= 10_485_760
        assert 1 <= config.index.max_chunks_per_file <= 2000
        assert 1 <= config.index.max_sync_bytes <= 268_435_456


@pytest.mark.slow
@pytest.mark.requirement("CFG.1")
@settings(max_examples=300)
@given(st.binary(max_size=200) | st.text().map(str.encode))
@example(b"[index]\nmax_file_bytes=" + b"1" * 4301)
@example(b"[index]\nmax_file_bytes=0x1" + b"0" * 4300)
def test_arbitrary_bytes_are_read_or_refused(data: bytes) -> None:
    assert_read_or_refused(data)


def toml_text(value: object) -> str:
    """Any value as TOML: enough of a writer for these tests."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = string.ascii_letters + string.digits + " *./!#"
        return '"' + "".join(c if c in plain else f"\\U{ord(c):08x}" for c in value) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml_text(key)} = {toml_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, datetime | date):
        return value.isoformat()
    return repr(value)


toml_strings = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
toml_values = st.recursive(
    st.booleans()
    | st.integers()
    | st.integers(-3, 3)
    | st.floats()
    | st.dates()
    | st.datetimes()
    | toml_strings
    | st.sampled_from(["block", "allow", "auto", "symbol", "*.png", "!a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(toml_strings, inner, max_size=3),
    max_leaves=6,
)
setting_names = st.sampled_from([*OTHER_INDEX_VALUES, *OTHER_QUERY_VALUES]) | toml_strings


@pytest.mark.slow
@pytest.mark.requirement("CFG.1")
@settings(max_examples=400)
@given(
    st.dictionaries(
        st.sampled_from(["index", "query"]) | toml_strings,
        st.dictionaries(setting_names, toml_values, max_size=3) | toml_values,
        max_size=2,
    )
)
def test_arbitrary_values_are_taken_or_refused(document: dict[str, object]) -> None:
    assert_read_or_refused(
        "".join(f"{toml_text(key)} = {toml_text(value)}\n" for key, value in document.items()).encode()
    )


@pytest.mark.requirement("CFG.1")
def test_the_file_is_read_from_the_root(folder: Path) -> None:
    with Beneath(str(folder)) as tree:
        assert read_config(tree) == Config()
        write(folder, CONFIG_NAME, "[index]\nchunk_bytes = 800\n")
        assert read_config(tree).index.chunk_bytes == 800


def _as_folder(place: Path, _: Path) -> None:
    place.mkdir()


def _as_fifo(place: Path, _: Path) -> None:
    os.mkfifo(place)


def _as_link_to_fifo(place: Path, outside: Path) -> None:
    os.mkfifo(outside / "pipe")
    place.symlink_to(outside / "pipe")


def _as_device(place: Path, _: Path) -> None:
    place.symlink_to("/dev/zero")


def _as_loop(place: Path, _: Path) -> None:
    place.symlink_to(place.name)


def _as_oversized(place: Path, _: Path) -> None:
    place.write_bytes(b"#" * (MAX_CONFIG_BYTES + 1))


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize(
    "make",
    [_as_folder, _as_fifo, _as_link_to_fifo, _as_device, _as_loop, _as_oversized],
    ids=lambda make: make.__name__,
)
@pytest.mark.parametrize("use_openat2", [True, False])
def test_a_config_that_is_no_plain_small_file_is_refused_and_never_waited_for(
    make: Callable[[Path, Path], None], use_openat2: bool, folder: Path, tmp_path: Path
) -> None:
    make(folder / CONFIG_NAME, tmp_path)
    with Beneath(str(folder), use_openat2=use_openat2) as tree, pytest.raises(CairnError) as caught:
        read_config(tree)
    assert caught.value.code in ("config_invalid", "out_of_root", "symlink_loop")
    assert CONFIG_NAME in caught.value.message
    assert "None" not in caught.value.message


@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize("use_openat2", [True, False])
@pytest.mark.parametrize("relative", [True, False])
def test_a_config_behind_a_link_out_of_the_root_is_not_read(
    use_openat2: bool, relative: bool, folder: Path, tmp_path: Path
) -> None:
    outside = write(tmp_path, "outside.toml", "[index]\nchunk_bytes = 800\n")
    (folder / CONFIG_NAME).symlink_to(f"../{outside.name}" if relative else outside)
    with Beneath(str(folder), use_openat2=use_openat2) as tree, pytest.raises(OutOfRootError):
        read_config(tree)


@pytest.mark.requirement("CFG.1")
def test_a_config_behind_a_link_inside_the_root_is_read(folder: Path) -> None:
    write(folder, "settings/cairn.toml", "[index]\nchunk_bytes = 800\n")
    (folder / CONFIG_NAME).symlink_to("settings/cairn.toml")
    with Beneath(str(folder)) as tree:
        assert read_config(tree).index.chunk_bytes == 800


@pytest.mark.requirement("CFG.1")
def test_a_config_link_that_leads_nowhere_is_refused(folder: Path) -> None:
    (folder / CONFIG_NAME).symlink_to("gone.toml")
    with Beneath(str(folder)) as tree, pytest.raises(ConfigError) as caught:
        read_config(tree)
    assert CONFIG_NAME in caught.value.message


@pytest.mark.requirement("CFG.1")
def test_an_unreadable_config_is_refused_instead_of_passed_over(folder: Path) -> None:
    place = write(folder, CONFIG_NAME, "[index]\nchunk_bytes = 800\n")
    place.chmod(0)
    folder.chmod(0o755)
    with Beneath(str(folder)) as tree, not_as_root(), pytest.raises(ConfigError) as caught:
        read_config(tree)
    assert CONFIG_NAME in caught.value.message
    assert "Permission denied" in caught.value.message


@pytest.mark.requirement("CFG.1")
def test_a_folder_pattern_in_include_is_refused_because_it_would_match_no_file() -> None:
    with pytest.raises(ConfigError, match=r"ending in '/'"):
        parse_config(b'[index]\ninclude = ["assets/"]\n')
    assert parse_config(b'[index]\nexclude = ["assets/"]\n').index.exclude == ("assets/",)


@pytest.mark.requirement("CFG.1")
def test_a_key_of_endlessly_many_parts_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(ConfigError, match="dots"):
        parse_config(b"index.untracked" + b".a" * 20_000 + b" = 1\n")
