"""Types as heads write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.graph.annotations import parameters_of, type_name, written_field


@pytest.mark.parametrize(
    ("language", "signature", "expected"),
    [
        (
            "python",
            "def f(self, a: A, *b: x.B, c: 'C | None' = None, d=1, **e)",
            {"self": "", "a": "A", "b": "[]", "c": "C", "d": "", "e": "[]"},
        ),
        ("python", "def f(a: Optional[A], b: dict[str, B], c: A | B) -> D", {"a": "A", "b": "dict", "c": "A|B"}),
        ("python", "def f()", {}),
        (
            "typescript",
            "f(a: A, b?: B.C<D>, private c: E = new E(), ...d: F[])",
            {"a": "A", "b": "B.C", "c": "E", "d": "[]"},
        ),
        ("kotlin", "fun f(a: A?, val b: B<C>)", {"a": "A", "b": "B"}),
        (
            "rust",
            "fn f<'a>(&self, a: &'a mut A, b: Box<dyn B>, c: x::C)",
            {"self": "", "a": "A", "b": "Box<dyn B>", "c": "x.C"},
        ),
        ("go", "func (r *R) f(a, b A, c *x.C, d map[string]D)", {"r": "R", "a": "A", "b": "A", "c": "x.C", "d": "map"}),
        ("java", "public A f(final B b, List<C> c, D... d)", {"b": "B", "c": "List", "d": "[]"}),
        ("csharp", "A F(ref B b, C? c = null)", {"b": "B", "c": "C"}),
        ("cpp", "void F::f(const a::B &b, C* c)", {"b": "a.B", "c": "C"}),
        ("php", "function f(A $a, ?B $b, C ...$c)", {"a": "A", "b": "B", "c": "[]"}),
        ("python", "def f(a: Store['k'], **b: B, c: type[C])", {"a": "", "b": "[]", "c": "C"}),
        ("typescript", "f(a: A[], b: B<C>[], c: D['k'], d: E[number])", {"a": "[]", "b": "[]", "c": "", "d": ""}),
        ("java", "void f(A[] a, B b[], Optional<C> c, D<E>[] d)", {"a": "[]", "b": "[]", "c": "Optional", "d": "[]"}),
        ("csharp", "void F(params A[] a)", {"a": "[]"}),
        ("go", "func f(a []A, b ...B, c [3]C, d G[E])", {"a": "[]", "b": "[]", "c": "[]", "d": "G"}),
        ("rust", "fn f(a: &[A], b: Vec<B>)", {"a": "[]", "b": "Vec"}),
        ("kotlin", "fun f(vararg a: A)", {"a": "[]"}),
        ("swift", "func f(a: A..., b: [B])", {"a": "[]", "b": "[]"}),
        ("scala", "def f(a: A*, b: B[C])", {"a": "[]", "b": "B"}),
        ("typescript", "f<A extends (x: B) => C, D>(a: A, b: B, d: D.E)", {"a": "", "b": "B", "d": ""}),
        ("python", "def f[A: (B, C)](a: A, b: B)", {"a": "", "b": "B"}),
        ("java", "public static <A extends B> List<C> f(A a, B b, C c)", {"a": "", "b": "B", "c": "C"}),
        ("csharp", "List<B> F<A>(A a, B b)", {"a": "", "b": "B"}),
        ("kotlin", "fun <A> f(a: A, b: B)", {"a": "", "b": "B"}),
        ("rust", "pub(crate) fn f<A: B>(a: A, b: B)", {"a": "", "b": "B"}),
        ("go", "func f[A any](a A, b B)", {"a": "", "b": "B"}),
        ("go", "func (r *R[A]) f(a A, b B)", {"r": "R", "a": "", "b": "B"}),
    ],
)
def test_parameters_have_the_types_that_are_written(language: str, signature: str, expected: dict[str, str]) -> None:
    assert parameters_of(language, signature) == expected


@pytest.mark.parametrize(
    ("language", "signature", "name", "expected"),
    [
        ("python", "layout: Layout", "layout", "Layout"),
        ("python", "x: 'a.B | None' = None", "x", "a.B"),
        ("python", "x = 1", "x", ""),
        ("typescript", "private readonly a: A<B> = new A()", "a", "A"),
        ("java", "private final Map<K, V> things;", "things", "Map"),
        ("java", "private A a = new A()", "a", "A"),
        ("go", "a *x.A", "a", "x.A"),
    ],
)
def test_fields_have_the_types_that_are_written(language: str, signature: str, name: str, expected: str) -> None:
    assert type_name(written_field(language, signature, name), language) == expected


@pytest.mark.slow
@given(st.text(max_size=80), st.sampled_from(["python", "typescript", "go", "java", "rust", "cpp", "ruby"]))
def test_no_head_is_too_odd(text: str, language: str) -> None:
    written = written_field(language, text, "a")
    names = [*parameters_of(language, text).values(), type_name(written, language), type_name(text)]
    assert not any(name != name.strip() for name in names)
