"""Dart: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "lib/cart.dart"
SAMPLE = """/// A shopping cart.
library shop.cart;

import 'dart:async';
import 'package:shop/item.dart' as item;
export 'src/price.dart';
part 'cart.g.dart';

const int maxItems = 20;
final _cache = <String, int>{};
String? currency;

typedef Listener = void Function(int count);

enum Level { low, high }

/// Can be paid for.
abstract class Payable {
  double get price;
  void pay(double amount);
}

@immutable
class Cart<T> extends Base implements Payable {
  final List<T> items;
  static int count = 0;
  late String _name;

  Cart(this.items);
  Cart.empty() : items = [];
  factory Cart.from(List<T> other) => Cart(other);

  /// Adds one.
  Future<void> add(T item) async {
    await save(item);
    items.add(item);
    notify();
  }

  @override
  double get price => total(items);
  set name(String value) => _name = value;
  bool operator ==(Object other) => true;
  static Cart make() => Cart([]);
}

mixin Logged on Cart {
  void log() => print('x');
}

extension Sums on List<int> {
  int sum() => fold(0, (a, b) => a + b);
}

double total(List items) {
  var local = 1;
  return items.length * 2.0;
}

int get now => DateTime.now().second;

void _hidden() {}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "constant maxItems 9-9 +",
        "constant _cache 10-10",
        "variable currency 11-11 +",
        "type Listener 13-13 +",
        "enum Level 15-15 +",
        "constant Level.low 15-15 +",
        "constant Level.high 15-15 +",
        "class Payable 18-21 +",
        "method Payable.price 19-19 +",
        "method Payable.pay 20-20 +",
        "class Cart 23-45 +",
        "field Cart.items 25-25 +",
        "field Cart.count 26-26 +",
        "field Cart._name 27-27",
        "constructor Cart.Cart 29-29 +",
        "constructor Cart.empty 30-30 +",
        "constructor Cart.from 31-31 +",
        "method Cart.add 34-38 +",
        "method Cart.price 40-41 +",
        "method Cart.name 42-42 +",
        "method Cart.== 43-43 +",
        "method Cart.make 44-44 +",
        "trait Logged 47-49 +",
        "method Logged.log 48-48 +",
        "method List.sum 52-52 +",
        "function total 55-58 +",
        "function now 60-60 +",
        "function _hidden 62-62",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Cart"] == "@immutable class Cart<T> extends Base implements Payable"
    assert found["Cart.items"] == "final List<T> items"
    assert found["Cart.add"] == "Future<void> add(T item)"
    assert found["Cart.from"] == "factory Cart.from(List<T> other)"
    assert found["Listener"] == "typedef Listener = void Function(int count);"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"Payable": "Can be paid for.", "Cart.add": "Adds one."}
    assert read(PATH, SAMPLE).top_comment == "A shopping cart."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [
        ("dart:async", 4),
        ("package:shop/item.dart", 5),
        ("src/price.dart", 6),
        ("cart.g.dart", 7),
    ]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("Cart", 31, "Cart.from"),
        ("save", 35, "Cart.add"),
        ("add", 36, "Cart.add"),
        ("notify", 37, "Cart.add"),
        ("total", 41, "Cart.price"),
        ("Cart", 44, "Cart.make"),
        ("print", 48, "Logged.log"),
        ("fold", 52, "List.sum"),
        ("now", 60, "now"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 21), (23, 41), (42, 62)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
