"""C#: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/Leases.cs"
SAMPLE = """// Leases for one writer at a time.
using System;
using System.Collections.Generic;
using Clock = Cairn.Time.Clock;
using static System.Math;

namespace Cairn.Store;

/// Who may write.
public interface IHolder<T> : IDisposable
{
    string Name { get; }
    event EventHandler Lost;
    bool Hold(T what, int times = 1);
}

public enum State { Held = 1, Stale }

public delegate void LeaseLost(Lease lease);

public record Outcome(Lease Lease, long At);

internal readonly struct Ticket
{
    public readonly int Number;
}

/// A lease that is renewed in the background.
[Serializable]
public sealed partial class Lease : Base<Lease>, IHolder<Stream> where T : new()
{
    public const string Prefix = "lease-";
    private readonly object _gate = new();
    private static int count;
    public event EventHandler? Lost;

    public Lease(string name) : base(name)
    {
        Name = name;
    }

    ~Lease() => Free();

    public string Name { get; private set; }

    public long Remaining => _deadline - Clock.Now();

    public Lease this[int index] => _all[index];

    [Obsolete("use RenewAsync")]
    public bool Renew() => RenewAsync().Result;

    public async Task<bool> RenewAsync<T>(TimeSpan? ttl = null)
    {
        var reply = await _client.GetAsync<T>(Name);
        int Local(int x) => x + 1;
        _owner?.Notify("renewed");
        Lost?.Invoke(this, EventArgs.Empty);
        return new Check<int>(reply).Passed(Local(2));
    }

    public static Lease operator +(Lease left, Lease right) => left;

    void IDisposable.Dispose() => Free();

    void Free()
    {
        lock (_gate) { Registry.Remove(Name); }
    }

    private class Timer { }
}

public static class LeaseExtensions
{
    public static bool IsStale(this Lease lease) => lease.Remaining <= 0;
}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "interface IHolder 10-15 +",
        "property IHolder.Name 12-12 +",
        "property IHolder.Lost 13-13 +",
        "method IHolder.Hold 14-14 +",
        "enum State 17-17 +",
        "constant State.Held 17-17 +",
        "constant State.Stale 17-17 +",
        "type LeaseLost 19-19 +",
        "class Outcome 21-21 +",
        "property Outcome.Lease 21-21 +",
        "property Outcome.At 21-21 +",
        "struct Ticket 23-26 +",
        "field Ticket.Number 25-25 +",
        "class Lease 29-72 +",
        "constant Lease.Prefix 32-32 +",
        "field Lease._gate 33-33",
        "field Lease.count 34-34",
        "property Lease.Lost 35-35 +",
        "constructor Lease.Lease 37-40 +",
        "property Lease.Name 44-44 +",
        "property Lease.Remaining 46-46 +",
        "property Lease.this 48-48 +",
        "method Lease.Renew 50-51 +",
        "method Lease.RenewAsync 53-60 +",
        "function Lease.RenewAsync.Local 56-56",
        "method Lease.Dispose 64-64",
        "method Lease.Free 66-69",
        "class Lease.Timer 71-71",
        "class LeaseExtensions 74-77 +",
        "method LeaseExtensions.IsStale 76-76 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["IHolder"] == "public interface IHolder<T> : IDisposable"
    assert found["IHolder.Hold"] == "bool Hold(T what, int times = 1);"
    assert found["Lease.RenewAsync"] == "public async Task<bool> RenewAsync<T>(TimeSpan? ttl = null)"
    assert found["Lease.Remaining"] == "public long Remaining"
    assert found["Lease.Lease"] == "public Lease(string name) : base(name)"
    assert found["Outcome"] == "public record Outcome(Lease Lease, long At);"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "IHolder": "Who may write.",
        "Lease": "A lease that is renewed in the background.",
    }
    assert read(PATH, SAMPLE).top_comment == "Leases for one writer at a time."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [
        ("System", 2),
        ("System.Collections.Generic", 3),
        ("Cairn.Time.Clock", 4),
        ("System.Math", 5),
    ]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("new", 33, "Lease._gate"),
        ("base", 37, "Lease.Lease"),
        ("Free", 42, "Lease"),
        ("Now", 46, "Lease.Remaining"),
        ("RenewAsync", 51, "Lease.Renew"),
        ("GetAsync", 55, "Lease.RenewAsync"),
        ("Notify", 57, "Lease.RenewAsync"),
        ("Invoke", 58, "Lease.RenewAsync"),
        ("Check", 59, "Lease.RenewAsync"),
        ("Passed", 59, "Lease.RenewAsync"),
        ("Local", 59, "Lease.RenewAsync"),
        ("Free", 64, "Lease.Dispose"),
        ("Remove", 68, "Lease.Free"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 7), (9, 26), (28, 40), (42, 51), (53, 62), (64, 77)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
