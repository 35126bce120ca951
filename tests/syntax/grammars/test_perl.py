"""Perl: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "lib/Work/Queue.pm"
SAMPLE = r"""#!/usr/bin/perl
# A queue of jobs.
package Work::Queue;

use strict;
use warnings;
use List::Util qw(first sum);
use parent 'Work::Base';
require Work::Log;

our $VERSION = '1.0';
our @EXPORT_OK = qw(push_job);
my $limit = 10;
use constant MAX => 20;
use constant { RED => 1, BLUE => 2 };

=head2 new

Makes a queue.

=cut

# Makes a queue.
sub new {
    my ($class, %args) = @_;
    my $self = bless { %args }, $class;
    $self->reset(1);
    return $self;
}

sub push_job {
    my ($self, $job) = @_;
    push @{ $self->{jobs} }, $job;
    Work::Log::info("pushed");
    _notify($job);
    my $x = Work::Job->create($job);
}

sub _notify { print "x\n" }

package Work::Queue::Item {
    sub name { return shift->{name} }
}

1;
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "module Work.Queue 3-3 +",
        "variable VERSION 11-11 +",
        "variable EXPORT_OK 12-12 +",
        "variable limit 13-13",
        "constant MAX 14-14 +",
        "constant RED 15-15 +",
        "constant BLUE 15-15 +",
        "function new 24-29 +",
        "function push_job 31-37 +",
        "function _notify 39-39",
        "module Work.Queue.Item 41-43 +",
        "function Work.Queue.Item.name 42-42 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["new"] == "sub new"
    assert found["limit"] == "my $limit = 10"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"Work.Queue": "usr/bin/perl A queue of jobs.", "new": "Makes a queue."}
    assert read(PATH, SAMPLE).top_comment == "A queue of jobs."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("List::Util", 7), ("Work::Base", 8), ("Work::Log", 9)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("bless", 26, "new"),
        ("reset", 27, "new"),
        ("push", 33, "push_job"),
        ("Work::Log::info", 34, "push_job"),
        ("_notify", 35, "push_job"),
        ("create", 36, "push_job"),
        ("print", 39, "_notify"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 300) == [(1, 15), (17, 29), (31, 45)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
