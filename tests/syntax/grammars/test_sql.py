"""SQL: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, outline, read, read_broken, signatures

PATH = "schema.sql"
SAMPLE = """-- Orders and who made them.
CREATE TABLE IF NOT EXISTS shop.customers (
    id SERIAL PRIMARY KEY,
    name VARCHAR(80) NOT NULL,
    CONSTRAINT named CHECK (name <> '')
);

-- What is sold.
CREATE TABLE orders (
    id INT PRIMARY KEY,
    customer_id INT REFERENCES shop.customers (id),
    total NUMERIC(10, 2)
);

CREATE INDEX orders_by_customer ON orders (customer_id);

CREATE VIEW big_orders AS
SELECT o.id, count(*) AS n FROM orders o WHERE o.total > 100 GROUP BY o.id;

CREATE MATERIALIZED VIEW totals AS SELECT sum(total) FROM orders;

CREATE TYPE mood AS ENUM ('sad', 'ok');

CREATE OR REPLACE FUNCTION add_tax(amount NUMERIC) RETURNS NUMERIC AS $$
BEGIN
    RETURN amount * 1.2;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER stamp BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION touch();

CREATE SEQUENCE order_numbers;
CREATE SCHEMA archive;

ALTER TABLE orders ADD COLUMN note TEXT;

INSERT INTO orders (id) VALUES (nextval('order_numbers'));
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "table customers 2-6 +",
        "field customers.id 3-3 +",
        "field customers.name 4-4 +",
        "table orders 9-13 +",
        "field orders.id 10-10 +",
        "field orders.customer_id 11-11 +",
        "field orders.total 12-12 +",
        "key orders_by_customer 15-15 +",
        "table big_orders 17-18 +",
        "table totals 20-20 +",
        "type mood 22-22 +",
        "function add_tax 24-28 +",
        "function stamp 30-30 +",
        "variable order_numbers 32-32 +",
        "module archive 33-33 +",
        "field orders.note 35-35 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["customers"] == "CREATE TABLE IF NOT EXISTS shop.customers ("
    assert found["add_tax"] == "CREATE OR REPLACE FUNCTION add_tax(amount NUMERIC) RETURNS NUMERIC AS $$"
    assert found["orders.total"] == "total NUMERIC(10, 2)"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"customers": "Orders and who made them.", "orders": "What is sold."}
    assert read(PATH, SAMPLE).top_comment == "Orders and who made them."


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [("count", 18, "big_orders"), ("sum", 20, "totals"), ("nextval", 37, "")]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 300) == [(1, 6), (8, 15), (17, 22), (24, 33), (35, 37)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
