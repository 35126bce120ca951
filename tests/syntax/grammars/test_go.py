"""Go: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "lease/lease.go"
SAMPLE = """// Package lease holds names for a while.
package lease

import (
	"fmt"
	clock "time"
)

// DefaultTTL is how long a lease lasts.
const DefaultTTL = 30

const (
	stateHeld = iota
	StateStale
)

var registry = map[string]*Lease{}

var (
	ErrLost = fmt.Errorf("lease lost")
)

// Lease is held by one process.
type Lease struct {
	Name string
	ttl  clock.Duration
}

// Holder can hold a lease.
type Holder interface {
	Hold(name string) error
	release()
}

type Names []string

type Alias = Lease

type Set[T comparable] struct{ items map[T]bool }

// New makes a lease.
func New(name string) *Lease {
	lease := &Lease{Name: name}
	registry[name] = lease
	return lease
}

// Renew keeps it.
func (l *Lease) Renew(times int) (
	bool, error,
) {
	for i := 0; i < times; i++ {
		l.touch(clock.Now())
	}
	go func() { notify(l) }()
	return true, nil
}

func (l Lease) touch(at clock.Time) { fmt.Println(at) }

func (s *Set[T]) Add(item T) { s.items[item] = true }

func notify[T any](what T) {}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "constant DefaultTTL 10-10 +",
        "constant stateHeld 13-13",
        "constant StateStale 14-14 +",
        "variable registry 17-17",
        "variable ErrLost 20-20 +",
        "struct Lease 24-27 +",
        "field Lease.Name 25-25 +",
        "field Lease.ttl 26-26",
        "interface Holder 30-33 +",
        "method Holder.Hold 31-31 +",
        "method Holder.release 32-32",
        "type Names 35-35 +",
        "type Alias 37-37 +",
        "struct Set 39-39 +",
        "field Set.items 39-39",
        "function New 42-46 +",
        "method Lease.Renew 49-57 +",
        "method Lease.touch 59-59",
        "method Set.Add 61-61 +",
        "function notify 63-63",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["New"] == "func New(name string) *Lease"
    assert found["Lease.Renew"] == "func (l *Lease) Renew(times int) ( bool, error, )"
    assert found["Holder.Hold"] == "Hold(name string) error"
    assert found["Set"] == "Set[T comparable] struct{ items map[T]bool }"
    assert found["ErrLost"] == 'ErrLost = fmt.Errorf("lease lost")'
    assert found["Names"] == "Names []string"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "DefaultTTL": "DefaultTTL is how long a lease lasts.",
        "Lease": "Lease is held by one process.",
        "Holder": "Holder can hold a lease.",
        "New": "New makes a lease.",
        "Lease.Renew": "Renew keeps it.",
    }
    assert read(PATH, SAMPLE).top_comment == "Package lease holds names for a while."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("fmt", 5), ("time", 6)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("Errorf", 20, "ErrLost"),
        ("touch", 53, "Lease.Renew"),
        ("Now", 53, "Lease.Renew"),
        ("notify", 55, "Lease.Renew"),
        ("Println", 59, "Lease.touch"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 27), (29, 46), (48, 63)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
