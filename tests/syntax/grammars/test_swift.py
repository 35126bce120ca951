"""Swift: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/Leases.swift"
SAMPLE = """// Leases for one writer at a time.
import Foundation
@testable import struct CairnStore.Clock

public typealias LeaseID = String
private let registry = Registry()
public var defaultTTL: TimeInterval = 30

/// Who may write.
public protocol Holder: AnyObject {
    associatedtype Item
    var name: String { get }
    func hold(_ what: Item) throws -> Bool
    init(name: String)
}

@frozen
public enum State: Int, CaseIterable {
    case held = 1
    case stale(reason: String)

    var isOver: Bool { self != .held }
}

struct Ticket<T> {
    let number: T
}

/// A lease that is renewed in the background.
///
/// Not safe for threads.
@MainActor
public final class Lease: Base, Holder {
    public static let prefix = "lease-"
    @Published private(set) var owner: String?
    fileprivate var deadline = Date()

    public init(name: String) {
        super.init()
        registry.add(self)
    }

    deinit {
        free()
    }

    // Seconds left.
    var remaining: TimeInterval {
        get { deadline.timeIntervalSince(Clock.now()) }
        set { deadline = Date() + newValue }
    }

    @discardableResult
    public func renew<T: Encodable>(ttl: TimeInterval = 30, body: T) async throws -> Bool {
        func local() -> Int { 1 }
        let reply = try await client.send(Request(name: name))
        guard reply.isOK else { throw LeaseError.lost(name) }
        items.map { convert($0) }.forEach(drop)
        owner?.notify()
        return true
    }

    private func free() {}

    subscript(index: Int) -> Ticket<Int> { tickets[index] }

    class Inner {}
}

extension Lease: CustomStringConvertible {
    public var description: String { name }

    func isStale() -> Bool { remaining <= 0 }
}

actor Sweeper {
    func sweep() {}
}

func sweep(_ leases: [Lease]) -> Int {
    leases.filter { $0.isStale() }.count
}

infix operator <~>

#if DEBUG
func debugOnly() {}
#endif
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "type LeaseID 5-5 +",
        "variable registry 6-6",
        "variable defaultTTL 7-7 +",
        "interface Holder 10-15 +",
        "type Holder.Item 11-11 +",
        "property Holder.name 12-12 +",
        "method Holder.hold 13-13 +",
        "constructor Holder.init 14-14 +",
        "enum State 17-23 +",
        "constant State.held 19-19 +",
        "constant State.stale 20-20 +",
        "property State.isOver 22-22 +",
        "struct Ticket 25-27 +",
        "property Ticket.number 26-26 +",
        "class Lease 32-68 +",
        "property Lease.prefix 34-34 +",
        "property Lease.owner 35-35 +",
        "property Lease.deadline 36-36",
        "constructor Lease.init 38-41 +",
        "property Lease.remaining 48-51 +",
        "method Lease.renew 53-61 +",
        "function Lease.renew.local 55-55",
        "method Lease.free 63-63",
        "property Lease.subscript 65-65 +",
        "class Lease.Inner 67-67 +",
        "property Lease.description 71-71 +",
        "method Lease.isStale 73-73 +",
        "class Sweeper 76-78 +",
        "method Sweeper.sweep 77-77 +",
        "function sweep 80-82 +",
        "function debugOnly 87-87 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Lease"] == "@MainActor public final class Lease: Base, Holder"
    assert (
        found["Lease.renew"]
        == "@discardableResult public func renew<T: Encodable>(ttl: TimeInterval = 30, body: T) async throws -> Bool"
    )
    assert found["Lease.remaining"] == "var remaining: TimeInterval"
    assert found["State.stale"] == "case stale(reason: String)"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Holder": "Who may write.",
        "Lease": "A lease that is renewed in the background. Not safe for threads.",
        "Lease.remaining": "Seconds left.",
    }
    assert read(PATH, SAMPLE).top_comment == "Leases for one writer at a time."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("Foundation", 2), ("CairnStore.Clock", 3)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("Registry", 6, "registry"),
        ("Date", 36, "Lease.deadline"),
        ("init", 39, "Lease.init"),
        ("add", 40, "Lease.init"),
        ("free", 44, "Lease"),
        ("timeIntervalSince", 49, "Lease.remaining"),
        ("now", 49, "Lease.remaining"),
        ("Date", 50, "Lease.remaining"),
        ("send", 56, "Lease.renew"),
        ("Request", 56, "Lease.renew"),
        ("lost", 57, "Lease.renew"),
        ("map", 58, "Lease.renew"),
        ("convert", 58, "Lease.renew"),
        ("forEach", 58, "Lease.renew"),
        ("notify", 59, "Lease.renew"),
        ("tickets", 65, "Lease.subscript"),
        ("filter", 81, "sweep"),
        ("isStale", 81, "sweep"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 7), (9, 15), (17, 27), (29, 45), (47, 51), (53, 63), (65, 88)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
