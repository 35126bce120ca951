"""Julia: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/Shapes.jl"
SAMPLE = '''# Shapes and their sizes.
module Shapes

using LinearAlgebra, Statistics
import Base: show, ==
using ..Tools: helper
include("util.jl")

export Circle, area

const TAU = 2pi
default_size = 3

"""
    AbstractShape

What has an area.
"""
abstract type AbstractShape end

struct Circle <: AbstractShape
    radius::Float64
    name
    Circle(r) = new(r, "c")
end

mutable struct Box{T}
    width::T
end

"The area of a circle."
function area(c::Circle)::Float64
    local_value = pow2(c.radius)
    return TAU / 2 * local_value
end

area(b::Box{T}) where {T} = b.width * LinearAlgebra.norm(b.width)

function Base.show(io::IO, c::Circle)
    print(io, c.name)
end

Base.:(==)(a::Circle, b::Circle) = a.radius == b.radius

macro twice(ex)
    return quote $(esc(ex)); $(esc(ex)) end
end

primitive type Word 16 end

function generic end

@inline fast(x) = x + 1

end # module
'''


@pytest.mark.slow
@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "module Shapes 2-55 +",
        "constant Shapes.TAU 11-11 +",
        "variable Shapes.default_size 12-12 +",
        "type Shapes.AbstractShape 19-19 +",
        "struct Shapes.Circle 21-25 +",
        "field Shapes.Circle.radius 22-22 +",
        "field Shapes.Circle.name 23-23 +",
        "method Shapes.Circle.Circle 24-24 +",
        "struct Shapes.Box 27-29 +",
        "field Shapes.Box.width 28-28 +",
        "function Shapes.area 32-35 +",
        "function Shapes.area 37-37 +",
        "function Shapes.show 39-41 +",
        "function Shapes.== 43-43 +",
        "macro Shapes.twice 45-47 +",
        "type Shapes.Word 49-49 +",
        "function Shapes.generic 51-51 +",
        "function Shapes.fast 53-53 +",
    ]


@pytest.mark.slow
def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Shapes.Circle"] == "struct Circle <: AbstractShape"
    assert found["Shapes.area"] == "area(b::Box{T}) where {T} = b.width * LinearAlgebra.norm(b.width)"
    assert found["Shapes.twice"] == "macro twice(ex)"
    assert found["Shapes.TAU"] == "const TAU = 2pi"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Shapes": "Shapes and their sizes.",
        "Shapes.AbstractShape": "AbstractShape What has an area.",
        "Shapes.area": "The area of a circle.",
    }
    assert read(PATH, SAMPLE).top_comment == "Shapes and their sizes."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [
        ("LinearAlgebra", 4),
        ("Statistics", 4),
        ("Base", 5),
        ("..Tools", 6),
        ("util.jl", 7),
    ]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("include", 7, "Shapes"),
        ("new", 24, "Shapes.Circle.Circle"),
        ("pow2", 33, "Shapes.area"),
        ("norm", 37, "Shapes.area"),
        ("print", 40, "Shapes.show"),
        ("esc", 46, "Shapes.twice"),
        ("esc", 46, "Shapes.twice"),
        ("inline", 53, "Shapes.fast"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 300) == [(1, 19), (21, 29), (31, 41), (43, 55)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
