"""Kotlin: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/Leases.kt"
SAMPLE = """/* Leases for one writer at a time. */
@file:JvmName("Leases")

package cairn.store

import java.time.Duration
import kotlinx.coroutines.delay as pause
import cairn.base.errors.*

const val MAX_LEASES = 100
private val registry = mutableMapOf<String, Lease>()
val String.isLeaseName: Boolean
    get() = startsWith("lease-")

typealias LeaseId = String

/** Who may write. */
interface Holder<T> {
    val name: String
    fun hold(what: T): Boolean
}

enum class State(val code: Int) {
    HELD(1),
    STALE(2) {
        override fun next() = HELD
    };

    open fun next(): State = STALE
}

sealed class Outcome {
    data class Taken(val lease: Lease, val at: Long) : Outcome()
    object Refused : Outcome()
}

/**
 * A lease that is renewed in the background.
 *
 * @property name what it is for
 */
@Serializable
class Lease internal constructor(
    val name: LeaseId,
    private var deadline: Long,
    retries: Int = 3,
) : Holder<File>, Closeable by closer {
    lateinit var owner: String
    private val lock = Any()

    init {
        registry[name] = this
    }

    constructor(name: String) : this(name, now())

    // Milliseconds left.
    val remaining: Long
        get() = deadline - now()

    suspend fun renew(ttl: Duration = Duration.ofSeconds(30)): Boolean {
        val local = compute { it.plus(ttl) }
        pause(local)
        owner?.notify("renewed")
        return synchronized(lock) { deadline > now() }
    }

    private inline fun <reified T> convert(value: Any): T = value as T

    companion object {
        const val PREFIX = "lease-"

        @JvmStatic
        fun of(name: String) = Lease(PREFIX + name)
    }
}

fun Lease.isStale(): Boolean = remaining <= 0

fun <T> List<T>.second(): T = this[1]

internal fun interface Sweeper {
    fun sweep(): Int
}

annotation class Traced(val label: String)
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "constant MAX_LEASES 10-10 +",
        "variable registry 11-11",
        "property String.isLeaseName 12-13 +",
        "type LeaseId 15-15 +",
        "interface Holder 18-21 +",
        "property Holder.name 19-19 +",
        "method Holder.hold 20-20 +",
        "enum State 23-30 +",
        "property State.code 23-23 +",
        "constant State.HELD 24-24 +",
        "constant State.STALE 25-27 +",
        "method State.STALE.next 26-26 +",
        "method State.next 29-29 +",
        "class Outcome 32-35 +",
        "class Outcome.Taken 33-33 +",
        "property Outcome.Taken.lease 33-33 +",
        "property Outcome.Taken.at 33-33 +",
        "class Outcome.Refused 34-34 +",
        "class Lease 42-76 +",
        "property Lease.name 44-44 +",
        "property Lease.deadline 45-45",
        "property Lease.owner 48-48 +",
        "property Lease.lock 49-49",
        "constructor Lease.constructor 55-55 +",
        "property Lease.remaining 58-59 +",
        "method Lease.renew 61-66 +",
        "method Lease.convert 68-68",
        "constant Lease.PREFIX 71-71 +",
        "method Lease.of 73-74 +",
        "method Lease.isStale 78-78 +",
        "method List.second 80-80 +",
        "interface Sweeper 82-84 +",
        "method Sweeper.sweep 83-83 +",
        "class Traced 86-86 +",
        "property Traced.label 86-86 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Lease.renew"] == "suspend fun renew(ttl: Duration = Duration.ofSeconds(30)): Boolean"
    assert found["MAX_LEASES"] == "const val MAX_LEASES = 100"
    assert found["Outcome.Taken"] == "data class Taken(val lease: Lease, val at: Long) : Outcome()"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Holder": "Who may write.",
        "Lease": "A lease that is renewed in the background. @property name what it is for",
        "Lease.remaining": "Milliseconds left.",
    }
    assert read(PATH, SAMPLE).top_comment == "Leases for one writer at a time."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [
        ("java.time.Duration", 6),
        ("kotlinx.coroutines.delay", 7),
        ("cairn.base.errors", 8),
    ]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("mutableMapOf", 11, "registry"),
        ("startsWith", 13, "String.isLeaseName"),
        ("Outcome", 33, "Outcome.Taken"),
        ("Outcome", 34, "Outcome.Refused"),
        ("Any", 49, "Lease.lock"),
        ("now", 55, "Lease.constructor"),
        ("now", 59, "Lease.remaining"),
        ("ofSeconds", 61, "Lease.renew"),
        ("compute", 62, "Lease.renew"),
        ("plus", 62, "Lease.renew"),
        ("pause", 63, "Lease.renew"),
        ("notify", 64, "Lease.renew"),
        ("synchronized", 65, "Lease.renew"),
        ("now", 65, "Lease.renew"),
        ("Lease", 74, "Lease.of"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 15), (17, 35), (37, 53), (55, 59), (61, 71), (73, 86)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
