"""Make: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "Makefile"
SAMPLE = r"""# Builds the tool.
include config.mk
-include $(DEPS)

CC := gcc
CFLAGS ?= -O2 \
	-Wall
export PATH := bin:$(PATH)

SOURCES = $(wildcard src/*.c)

define banner
@echo "building $(1)"
endef

.PHONY: all clean

# Everything.
all: tool docs

tool: $(SOURCES) | build
	$(call banner,tool)
	$(CC) $(CFLAGS) -o $@ $^

build/%.o: src/%.c
	$(CC) -c $< -o $@

ifdef DEBUG
LEVEL = 3
debug:
	gdb tool
endif

clean: ; rm -rf build
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "variable CC 5-5 +",
        "variable CFLAGS 6-7 +",
        "variable PATH 8-8 +",
        "variable SOURCES 10-10 +",
        "macro banner 12-14 +",
        "rule all 19-19 +",
        "rule tool 21-23 +",
        "rule build/%.o 25-32 +",
        "variable build/%.o.LEVEL 29-29 +",
        "rule build/%.o.debug 30-31 +",
        "rule clean 34-34 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["tool"] == "tool: $(SOURCES) | build"
    assert found["CC"] == "CC := gcc"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"all": "Everything."}
    assert read(PATH, SAMPLE).top_comment == "Builds the tool."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("config.mk", 2), ("$(DEPS)", 3)]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 150) == [(1, 10), (12, 19), (21, 23), (25, 34)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
