"""Haskell: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/Tree.hs"
SAMPLE = """{-# LANGUAGE GADTs #-}
-- | Balanced trees.
module Data.Tree.Balanced
  ( Tree(..)
  , insert
  ) where

import qualified Data.Map.Strict as Map
import Data.List (sortBy, foldl')

-- | A tree of values.
data Tree a
  = Leaf
  | Node { left :: Tree a, value :: a, right :: Tree a }
  deriving (Show, Eq)

newtype Depth = Depth { getDepth :: Int }

type Forest a = [Tree a]

class Container f where
  empty :: f a
  -- | Puts one in.
  put :: a -> f a -> f a
  put x c = c

instance Container Tree where
  empty = Leaf
  put x t = insertRaw x t

-- | Puts a value at its place.
insert :: Ord a => a -> Tree a -> Tree a
insert x Leaf = Node Leaf x Leaf
insert x t@(Node l v r)
  | x < v = balance (Node (insert x l) v r)
  | otherwise = go t
  where
    go y = Map.lookup y table

limit :: Int
limit = 10

infixr 5 +++
(+++) :: [a] -> [a] -> [a]
xs +++ ys = foldr (:) ys xs

noSignature x = x + 1

data Expr a where
  IntE :: Int -> Expr Int

type family Elem c
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "module Data.Tree.Balanced 3-6 +",
        "type Tree 12-15 +",
        "constant Tree.Leaf 13-13 +",
        "constant Tree.Node 14-14 +",
        "field Tree.Node.left 14-14 +",
        "field Tree.Node.value 14-14 +",
        "field Tree.Node.right 14-14 +",
        "type Depth 17-17 +",
        "constant Depth.Depth 17-17 +",
        "field Depth.Depth.getDepth 17-17 +",
        "type Forest 19-19 +",
        "class Container 21-25 +",
        "method Container.empty 22-22 +",
        "method Container.put 24-25 +",
        "method Tree.empty 28-28 +",
        "method Tree.put 29-29 +",
        "function insert 32-38 +",
        "function limit 40-41 +",
        "function +++ 44-45 +",
        "function noSignature 47-47 +",
        "type Expr 49-50 +",
        "constant Expr.IntE 50-50 +",
        "type Elem 52-52 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Tree"] == "data Tree a"
    assert found["Container"] == "class Container f where"
    assert found["Container.empty"] == "empty :: f a"
    assert found["noSignature"] == "noSignature x"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Data.Tree.Balanced": "Balanced trees.",
        "Tree": "A tree of values.",
        "Container.put": "Puts one in.",
        "insert": "Puts a value at its place.",
    }
    assert read(PATH, SAMPLE).top_comment == "Balanced trees."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("Data.Map.Strict", 8), ("Data.List", 9)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("insertRaw", 29, "Tree.put"),
        ("balance", 35, "insert"),
        ("insert", 35, "insert"),
        ("go", 36, "insert"),
        ("lookup", 38, "insert"),
        ("foldr", 45, "+++"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 19), (21, 29), (31, 50), (52, 52)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
