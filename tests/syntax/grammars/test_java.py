"""Java: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/main/java/cairn/store/Lease.java"
SAMPLE = """/* Copyright 2024. All rights reserved. */
package cairn.store;

import java.time.Duration;
import java.util.*;
import static java.util.Objects.requireNonNull;

/**
 * A lease that is renewed in the background.
 *
 * @param <T> what is held
 */
@Deprecated(since = "2")
public final class Lease<T extends Held> extends Base<T> implements AutoCloseable {
    public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);
    private static final String PREFIX = "lease-";
    private final Map<String, T> held = new HashMap<>();
    protected int renewals;

    // Only the registry makes leases.
    Lease(String name) {
        super(requireNonNull(name));
    }

    /** Milliseconds until someone else may take it. */
    public long remaining() {
        return deadline() - Clock.system().millis();
    }

    @Override
    public <R> R with(T what, Function<? super T, R> work) throws LeaseLostException {
        for (T each : held.values()) {
            if (each.isStale()) {
                throw new LeaseLostException(PREFIX + each);
            }
        }
        Runnable local = () -> renew(1);
        return work.apply(what);
    }

    private boolean renew(int times) {
        return names().stream().map(Lease::normalise).anyMatch(held::containsKey);
    }

    enum State {
        HELD("h") {
            @Override
            boolean taken() {
                return true;
            }
        },
        STALE("s");

        private final String code;

        State(String code) {
            this.code = code;
        }

        boolean taken() {
            return false;
        }
    }

    public interface Holder {
        int MAX = 8;

        void hold(String what);

        default void free() {
            hold(null);
        }
    }

    record Outcome(Lease<?> lease, long at) {
        Outcome {
            requireNonNull(lease);
        }
    }

    @interface Traced {
        String value() default "";
    }
}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "class Lease 13-84 +",
        "constant Lease.DEFAULT_TTL 15-15 +",
        "constant Lease.PREFIX 16-16",
        "field Lease.held 17-17",
        "field Lease.renewals 18-18 +",
        "constructor Lease.Lease 21-23 +",
        "method Lease.remaining 26-28 +",
        "method Lease.with 30-39 +",
        "method Lease.renew 41-43",
        "enum Lease.State 45-63 +",
        "constant Lease.State.HELD 46-51 +",
        "method Lease.State.HELD.taken 47-50 +",
        "constant Lease.State.STALE 52-52 +",
        "field Lease.State.code 54-54",
        "constructor Lease.State.State 56-58 +",
        "method Lease.State.taken 60-62 +",
        "interface Lease.Holder 65-73 +",
        "constant Lease.Holder.MAX 66-66 +",
        "method Lease.Holder.hold 68-68 +",
        "method Lease.Holder.free 70-72 +",
        "class Lease.Outcome 75-79 +",
        "field Lease.Outcome.lease 75-75 +",
        "field Lease.Outcome.at 75-75 +",
        "constructor Lease.Outcome.Outcome 76-78 +",
        "interface Lease.Traced 81-83 +",
        "method Lease.Traced.value 82-82 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert (
        found["Lease"]
        == '@Deprecated(since = "2") public final class Lease<T extends Held> extends Base<T> implements AutoCloseable'
    )
    assert (
        found["Lease.with"]
        == "@Override public <R> R with(T what, Function<? super T, R> work) throws LeaseLostException"
    )
    assert found["Lease.renewals"] == "protected int renewals;"
    assert found["Lease.Outcome"] == "record Outcome(Lease<?> lease, long at)"
    assert found["Lease.Holder.hold"] == "void hold(String what);"
    assert found["Lease.State.HELD"] == 'HELD("h")'


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Lease": "A lease that is renewed in the background. @param <T> what is held",
        "Lease.Lease": "Only the registry makes leases.",
        "Lease.remaining": "Milliseconds until someone else may take it.",
    }
    assert read(PATH, SAMPLE).top_comment == "A lease that is renewed in the background. @param <T> what is held"


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [
        ("java.time.Duration", 4),
        ("java.util", 5),
        ("java.util.Objects.requireNonNull", 6),
    ]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("ofSeconds", 15, "Lease.DEFAULT_TTL"),
        ("HashMap", 17, "Lease.held"),
        ("super", 22, "Lease.Lease"),
        ("requireNonNull", 22, "Lease.Lease"),
        ("deadline", 27, "Lease.remaining"),
        ("system", 27, "Lease.remaining"),
        ("millis", 27, "Lease.remaining"),
        ("values", 32, "Lease.with"),
        ("isStale", 33, "Lease.with"),
        ("LeaseLostException", 34, "Lease.with"),
        ("renew", 37, "Lease.with"),
        ("apply", 38, "Lease.with"),
        ("names", 42, "Lease.renew"),
        ("stream", 42, "Lease.renew"),
        ("map", 42, "Lease.renew"),
        ("normalise", 42, "Lease.renew"),
        ("anyMatch", 42, "Lease.renew"),
        ("containsKey", 42, "Lease.renew"),
        ("hold", 71, "Lease.Holder.free"),
        ("requireNonNull", 77, "Lease.Outcome.Outcome"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 6), (8, 18), (20, 28), (30, 39), (41, 43), (45, 63), (65, 84)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
