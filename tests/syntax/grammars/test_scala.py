"""Scala: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/Leases.scala"
SAMPLE = """/** Leases for one writer at a time. */
package cairn.store

import java.time.Duration
import scala.collection.mutable.{Map, Set => MutableSet}
import cairn.base.errors._

package object limits {
  val MaxLeases = 100
}

/** Who may write. */
sealed trait Holder[F[_]] extends Closeable { self =>
  type Id
  def name: String
  def hold(what: String)(implicit clock: Clock): F[Boolean]
}

object Lease {
  final val Prefix: String = "lease-"
  implicit val ordering: Ordering[Lease] = Ordering.by(_.deadline)
  private[store] var count = 0

  def apply(name: String): Lease = new Lease(name, now())

  implicit class LeaseOps(private val lease: Lease) extends AnyVal {
    def isStale: Boolean = lease.remaining <= 0
  }
}

/**
 * A lease that is renewed in the background.
 */
case class Lease(name: String, private val deadline: Long)
    extends Base(name)
    with Holder[IO] {

  private lazy val lock = new Object

  def this(name: String) = this(name, 0L)

  // Milliseconds left.
  def remaining: Long = deadline - Clock.system.millis()

  @tailrec
  protected final def renew(times: Int = 3): Either[LeaseLost, Lease] = {
    def attempt(left: Int): Boolean = client.ask(name).isRight
    val local = attempt(times)
    for {
      reply <- client.ask(name)
      _ = registry.update(name, reply)
    } yield copy(deadline = reply.at)
  }

  private def drop(): Unit = lock.synchronized(registry -= name)
}

type LeaseId = String

enum State(val code: Int):
  case Held extends State(1)
  case Stale, Lost

given Show[Lease] with
  def show(lease: Lease): String = lease.name

extension (lease: Lease)
  def isFresh: Boolean = !lease.isStale

def sweep(leases: List[Lease]): Int =
  leases.filter(_.isStale).map(drop).size
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "module limits 8-10 +",
        "property limits.MaxLeases 9-9 +",
        "trait Holder 13-17 +",
        "type Holder.Id 14-14 +",
        "method Holder.name 15-15 +",
        "method Holder.hold 16-16 +",
        "class Lease 19-29 +",
        "property Lease.Prefix 20-20 +",
        "property Lease.ordering 21-21 +",
        "property Lease.count 22-22 +",
        "method Lease.apply 24-24 +",
        "class Lease.LeaseOps 26-28 +",
        "property Lease.LeaseOps.lease 26-26",
        "method Lease.LeaseOps.isStale 27-27 +",
        "class Lease 34-56 +",
        "property Lease.name 34-34 +",
        "property Lease.deadline 34-34",
        "property Lease.lock 38-38",
        "constructor Lease.this 40-40 +",
        "method Lease.remaining 43-43 +",
        "method Lease.renew 45-53 +",
        "function Lease.renew.attempt 47-47",
        "method Lease.drop 55-55",
        "type LeaseId 58-58 +",
        "enum State 60-62 +",
        "property State.code 60-60 +",
        "constant State.Held 61-61 +",
        "constant State.Stale 62-62 +",
        "constant State.Lost 62-62 +",
        "function show 65-65 +",
        "method Lease.isFresh 68-68 +",
        "function sweep 70-71 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Lease.renew"] == "@tailrec protected final def renew(times: Int = 3): Either[LeaseLost, Lease]"
    assert (
        found["Lease"]
        == "case class Lease(name: String, private val deadline: Long) extends Base(name) with Holder[IO]"
    )
    assert found["Holder"] == "sealed trait Holder[F[_]] extends Closeable"
    assert found["Holder.hold"] == "def hold(what: String)(implicit clock: Clock): F[Boolean]"
    assert found["sweep"] == "def sweep(leases: List[Lease]): Int"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Holder": "Who may write.",
        "Lease": "A lease that is renewed in the background.",
        "Lease.name": "A lease that is renewed in the background.",
        "Lease.deadline": "A lease that is renewed in the background.",
        "Lease.remaining": "Milliseconds left.",
    }
    assert read(PATH, SAMPLE).top_comment == "Leases for one writer at a time."


def test_imports() -> None:
    assert sorted({line for _, line in imports(read(PATH, SAMPLE))}) == [4, 5, 6]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("by", 21, "Lease.ordering"),
        ("Lease", 24, "Lease.apply"),
        ("now", 24, "Lease.apply"),
        ("Object", 38, "Lease.lock"),
        ("this", 40, "Lease.this"),
        ("millis", 43, "Lease.remaining"),
        ("ask", 47, "Lease.renew.attempt"),
        ("attempt", 48, "Lease.renew"),
        ("ask", 50, "Lease.renew"),
        ("update", 51, "Lease.renew"),
        ("copy", 52, "Lease.renew"),
        ("synchronized", 55, "Lease.drop"),
        ("filter", 71, "sweep"),
        ("map", 71, "sweep"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 10), (12, 17), (19, 29), (31, 43), (45, 58), (60, 71)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
