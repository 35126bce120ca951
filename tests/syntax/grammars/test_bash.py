"""Bash: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "deploy.sh"
SAMPLE = """#!/usr/bin/env bash
# Puts a release on its hosts.
set -euo pipefail

source ./lib/log.sh
. "${HOME}/.deployrc"

VERSION="1.2"
readonly HOSTS=(a b)
export TARGET=prod LEVEL
declare -A SEEN
alias ll='ls -l'

# Copies one archive.
copy_archive() {
    local host=$1
    COUNT=3
    scp "release-$VERSION.tgz" "$host:/srv" || fail "no copy"
    log_info "copied $(basename "$host")"
}

function fail {
    echo "$1" >&2
    exit 1
}

if [[ -n "${DEBUG:-}" ]]; then
    TRACE=1
fi

for host in "${HOSTS[@]}"; do
    copy_archive "$host"
done
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "variable VERSION 8-8 +",
        "variable HOSTS 9-9 +",
        "variable TARGET 10-10 +",
        "function copy_archive 15-20 +",
        "function fail 22-25 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["copy_archive"] == "copy_archive()"
    assert found["fail"] == "function fail"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"copy_archive": "Copies one archive."}
    assert read(PATH, SAMPLE).top_comment == "Puts a release on its hosts."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("./lib/log.sh", 5), ("${HOME}/.deployrc", 6)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("set", 3, ""),
        ("alias", 12, ""),
        ("scp", 18, "copy_archive"),
        ("fail", 18, "copy_archive"),
        ("log_info", 19, "copy_archive"),
        ("basename", 19, "copy_archive"),
        ("echo", 23, "fail"),
        ("exit", 24, "fail"),
        ("copy_archive", 32, ""),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 250) == [(1, 12), (14, 25), (27, 33)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
