"""Elixir: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "lib/shop/cache.ex"
SAMPLE = r'''defmodule Shop.Cache do
  @moduledoc """
  Keeps prices for a while.
  """

  use GenServer
  alias Shop.{Item, Price}
  import Enum, only: [map: 2]
  require Logger

  @timeout 5_000
  @type key :: atom() | String.t()
  @callback load(key) :: {:ok, term}

  defstruct [:name, ttl: 60]

  @doc """
  Fetches a price.

  Returns `:error` when there is none.
  """
  @spec fetch(key, integer) :: {:ok, term} | :error
  def fetch(key, default \\ nil) when is_atom(key) do
    case lookup(key) do
      nil -> Logger.warning("miss")
      value -> value |> Price.round() |> wrap
    end
  end

  def size, do: 3

  defp lookup(key), do: :ets.lookup(@timeout, key)

  # Doubles at compile time.
  defmacro double(x) do
    quote do: unquote(x) * 2
  end

  defguard is_small(x) when x < 10

  defdelegate reset(server), to: Shop.Server

  @impl true
  def handle_call(:get, _from, state) do
    {:reply, state, state}
  end
end

defprotocol Shop.Priced do
  @doc "What it costs."
  def price(item)
end

defimpl Shop.Priced, for: Shop.Item do
  def price(item), do: item.price
end
'''


@pytest.mark.slow
@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "module Shop.Cache 1-47 +",
        "constant Shop.Cache.timeout 11-11 +",
        "type Shop.Cache.key 12-12 +",
        "method Shop.Cache.load 13-13 +",
        "function Shop.Cache.fetch 17-28 +",
        "function Shop.Cache.size 30-30 +",
        "function Shop.Cache.lookup 32-32",
        "macro Shop.Cache.double 35-37 +",
        "macro Shop.Cache.is_small 39-39 +",
        "function Shop.Cache.reset 41-41 +",
        "function Shop.Cache.handle_call 43-46 +",
        "interface Shop.Priced 49-52 +",
        "method Shop.Priced.price 50-51 +",
        "method Shop.Item.price 55-55 +",
    ]


@pytest.mark.slow
def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Shop.Cache.fetch"] == "def fetch(key, default \\\\ nil) when is_atom(key)"
    assert found["Shop.Cache.size"] == "def size, do: 3"
    assert found["Shop.Cache.key"] == "@type key :: atom() | String.t()"
    assert found["Shop.Priced"] == "defprotocol Shop.Priced"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Shop.Cache": "Keeps prices for a while.",
        "Shop.Cache.fetch": "Fetches a price. Returns `:error` when there is none.",
        "Shop.Cache.double": "Doubles at compile time.",
        "Shop.Priced.price": "What it costs.",
    }
    assert read(PATH, SAMPLE).top_comment == "Keeps prices for a while."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("GenServer", 6), ("Shop", 7), ("Enum", 8), ("Logger", 9)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("atom", 12, "Shop.Cache.key"),
        ("t", 12, "Shop.Cache.key"),
        ("fetch", 22, "Shop.Cache"),
        ("is_atom", 23, "Shop.Cache.fetch"),
        ("lookup", 24, "Shop.Cache.fetch"),
        ("warning", 25, "Shop.Cache.fetch"),
        ("round", 26, "Shop.Cache.fetch"),
        ("wrap", 26, "Shop.Cache.fetch"),
        ("lookup", 32, "Shop.Cache.lookup"),
        ("price", 55, "Shop.Item.price"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 15), (17, 32), (34, 52), (54, 56)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
