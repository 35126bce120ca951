"""C: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/ring.c"
SAMPLE = """/* A ring buffer of bytes. */

#include <stdlib.h>
#include "ring.h"

#define RING_MIN 16
#define RING_NEXT(r, i) (((i) + 1) % (r)->size)

static int live_rings = 0;
const char *ring_version = "1.0";
extern int ring_debug;

/* One buffer. */
typedef struct ring {
    char *data;
    size_t size;
    struct { int lock; } guard;
} ring_t;

typedef struct {
    int x;
} point;

typedef struct Same { int y; } Same;

enum mode {
    MODE_READ,
    MODE_WRITE = 2
};

union word { int i; float f; };

typedef int (*compare_fn)(const void *, const void *);
typedef unsigned long ulong_t;

struct forward;

/* Makes a ring; NULL when there is no memory. */
ring_t *ring_new(size_t size);
static int grow(ring_t *ring,
                size_t size);

#ifdef RING_DEBUG
int ring_dump(ring_t *ring);
#endif

ring_t *
ring_new(size_t size)
{
    ring_t *ring = malloc(sizeof(*ring));
    int (*cb)(int) = NULL;
    if (ring == NULL)
        return NULL;
    ring->guard.lock = 1;
    grow(ring, size);
    ring->vtable->init(ring);
    return ring;
}

static int grow(ring_t *ring, size_t size)
{
    static int times;
    return RING_NEXT(ring, times);
}

int (*ring_compare(void))(int, int)
{
    return 0;
}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "macro RING_MIN 6-6 +",
        "macro RING_NEXT 7-7 +",
        "variable live_rings 9-9",
        "variable ring_version 10-10 +",
        "variable ring_debug 11-11 +",
        "struct ring 14-18 +",
        "field ring.data 15-15 +",
        "field ring.size 16-16 +",
        "field ring.guard 17-17 +",
        "field ring.guard.lock 17-17 +",
        "type ring_t 18-18 +",
        "struct point 20-22 +",
        "field point.x 21-21 +",
        "struct Same 24-24 +",
        "field Same.y 24-24 +",
        "enum mode 26-29 +",
        "constant mode.MODE_READ 27-27 +",
        "constant mode.MODE_WRITE 28-28 +",
        "struct word 31-31 +",
        "field word.i 31-31 +",
        "field word.f 31-31 +",
        "type compare_fn 33-33 +",
        "type ulong_t 34-34 +",
        "function ring_new 39-39 +",
        "function grow 40-41",
        "function ring_dump 44-44 +",
        "function ring_new 47-58 +",
        "function grow 60-64",
        "function ring_compare 66-69 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["ring_new"] == "ring_t * ring_new(size_t size)"
    assert found["RING_NEXT"] == "#define RING_NEXT(r, i) (((i) + 1) % (r)->size)"
    assert found["compare_fn"] == "typedef int (*compare_fn)(const void *, const void *);"
    assert found["mode"] == "enum mode"
    assert found["ring.data"] == "char *data;"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "ring": "One buffer.",
        "ring_new": "Makes a ring; NULL when there is no memory.",
    }
    assert read(PATH, SAMPLE).top_comment == "A ring buffer of bytes."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("stdlib.h", 3), ("ring.h", 4)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("malloc", 50, "ring_new"),
        ("grow", 55, "ring_new"),
        ("init", 56, "ring_new"),
        ("RING_NEXT", 63, "grow"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 22), (24, 43), (44, 64), (66, 69)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
