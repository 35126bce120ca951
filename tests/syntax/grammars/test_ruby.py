"""Ruby: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "lib/leases.rb"
SAMPLE = """# Leases for one writer at a time.
require "json"
require_relative "clock"
autoload :Sweeper, "cairn/sweeper"

module Cairn
  module Store
    MAX_LEASES = 100

    # A lease that is renewed
    # in the background.
    class Lease < Base::Holder
      include Comparable
      extend Forwardable

      PREFIX = "lease-".freeze
      delegate :size, to: :items

      class << self
        def open(name)
          new(name).tap(&:renew)
        end
      end

      def self.all = registry.values

      def initialize(name, ttl: 30)
        super()
        @name = name
        @deadline = Clock.now + ttl
      end

      # Seconds left.
      def remaining
        deadline - Clock.now
      end

      def stale?
        remaining <= 0
      end

      def owner=(who)
        @owner = who.to_s
      end

      def <=>(other)
        deadline <=> other.deadline
      end

      alias left remaining

      private def renew(times = 3, &block)
        client.ask(name) do |reply|
          return LeaseLost.new(reply) unless reply&.ok?
          puts "renewed"
        end
        yield self
      end

      private_class_method def self.reset; end
    end
  end
end

class Cairn::Sweeper
  def sweep(leases) = leases.count(&:stale?)
end

def helper(x)
  x
end

describe Cairn::Store::Lease do
  it("renews") { expect(lease.renew).to be(true) }
end
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "module Cairn 6-63 +",
        "module Cairn.Store 7-62 +",
        "constant Cairn.Store.MAX_LEASES 8-8 +",
        "class Cairn.Store.Lease 12-61 +",
        "constant Cairn.Store.Lease.PREFIX 16-16 +",
        "method Cairn.Store.Lease.open 20-22 +",
        "method Cairn.Store.Lease.all 25-25 +",
        "constructor Cairn.Store.Lease.initialize 27-31 +",
        "method Cairn.Store.Lease.remaining 34-36 +",
        "method Cairn.Store.Lease.stale? 38-40 +",
        "method Cairn.Store.Lease.owner= 42-44 +",
        "method Cairn.Store.Lease.<=> 46-48 +",
        "method Cairn.Store.Lease.left 50-50 +",
        "method Cairn.Store.Lease.renew 52-58",
        "method Cairn.Store.Lease.reset 60-60",
        "class Cairn.Sweeper 65-67 +",
        "method Cairn.Sweeper.sweep 66-66 +",
        "function helper 69-71 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Cairn.Store.Lease"] == "class Lease < Base::Holder"
    assert found["Cairn.Store.Lease.initialize"] == "def initialize(name, ttl: 30)"
    assert found["Cairn.Store.Lease.open"] == "def open(name)"
    assert found["helper"] == "def helper(x)"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Cairn.Store.Lease": "A lease that is renewed in the background.",
        "Cairn.Store.Lease.remaining": "Seconds left.",
    }
    assert read(PATH, SAMPLE).top_comment == "Leases for one writer at a time."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("json", 2), ("clock", 3), ("cairn/sweeper", 4)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("require", 2, ""),
        ("require_relative", 3, ""),
        ("autoload", 4, ""),
        ("include", 13, "Cairn.Store.Lease"),
        ("extend", 14, "Cairn.Store.Lease"),
        ("freeze", 16, "Cairn.Store.Lease.PREFIX"),
        ("delegate", 17, "Cairn.Store.Lease"),
        ("new", 21, "Cairn.Store.Lease.open"),
        ("tap", 21, "Cairn.Store.Lease.open"),
        ("values", 25, "Cairn.Store.Lease.all"),
        ("now", 30, "Cairn.Store.Lease.initialize"),
        ("now", 35, "Cairn.Store.Lease.remaining"),
        ("to_s", 43, "Cairn.Store.Lease.owner="),
        ("deadline", 47, "Cairn.Store.Lease.<=>"),
        ("private", 52, "Cairn.Store.Lease.renew"),
        ("ask", 53, "Cairn.Store.Lease.renew"),
        ("LeaseLost", 54, "Cairn.Store.Lease.renew"),
        ("new", 54, "Cairn.Store.Lease.renew"),
        ("ok?", 54, "Cairn.Store.Lease.renew"),
        ("puts", 55, "Cairn.Store.Lease.renew"),
        ("private_class_method", 60, "Cairn.Store.Lease.reset"),
        ("count", 66, "Cairn.Sweeper.sweep"),
        ("describe", 73, ""),
        ("it", 74, ""),
        ("expect", 74, ""),
        ("renew", 74, ""),
        ("to", 74, ""),
        ("be", 74, ""),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 4), (6, 25), (27, 48), (50, 71), (73, 75)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
