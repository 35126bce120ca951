"""What languages say about a definition away from its first line."""

import pytest

from tests.syntax.grammars.reading import imports, outline, read, signatures


@pytest.mark.slow
@pytest.mark.requirement("MOD.3")
def test_names_of_one_declaration_stand_side_by_side() -> None:
    assert outline(read("a.js", "export const a = 1, b = 2;\n")) == ["constant a 1-1 +", "constant b 1-1 +"]
    assert outline(read("A.java", "class A {\n  int a, b;\n}\n"))[1:] == ["field A.a 2-2 +", "field A.b 2-2 +"]
    assert outline(read("a.swift", "enum S {\n  case held, lost(why: String)\n}\n"))[1:] == [
        "constant S.held 2-2 +",
        "constant S.lost 2-2 +",
    ]


@pytest.mark.requirement("MOD.3")
def test_names_may_be_exported_elsewhere() -> None:
    assert outline(read("a.js", "function a() {}\nconst b = 1;\nfunction c() {}\nexport { a, b as x };\n")) == [
        "function a 1-1 +",
        "constant b 2-2 +",
        "function c 3-3",
    ]
    assert outline(read("b.js", "class A {}\nfunction b() {}\nfunction c() {}\nmodule.exports = { A, z: b };\n")) == [
        "class A 1-1 +",
        "function b 2-2 +",
        "function c 3-3",
    ]
    assert outline(read("c.js", "function a() {}\nfunction b() {}\nmodule.exports = a;\nexports.b = b;\n")) == [
        "function a 1-1 +",
        "function b 2-2 +",
    ]
    assert outline(read("d.ts", "class A {}\nexport default A;\n")) == ["class A 1-1 +"]


@pytest.mark.requirement("MOD.3")
def test_a_word_hides_what_follows_it_in_ruby() -> None:
    source = "class A\n  def a; end\n  private\n  def b; end\n  class B\n    def c; end\n  end\n"
    source += "  public\n  def d; end\nend\n"
    assert [line for line in outline(read("a.rb", source)) if line.startswith("method")] == [
        "method A.a 2-2 +",
        "method A.b 4-4",
        "method A.B.c 6-6",
        "method A.d 9-9 +",
    ]


@pytest.mark.requirement("MOD.3")
def test_ruby_attributes_and_made_classes() -> None:
    source = "class A\n  attr_reader :name, :owner\n  define_method(:touch) { 1 }\nend\nTicket = Struct.new(:number)\n"
    assert outline(read("a.rb", source))[1:] == [
        "property A.name 2-2 +",
        "property A.owner 2-2 +",
        "method A.touch 3-3 +",
        "class Ticket 5-5 +",
    ]


@pytest.mark.requirement("MOD.3")
def test_annotations_on_their_own_line_do_not_hide_the_rest_of_a_head() -> None:
    java = read("A.java", "class A {\n  @Inject\n  private Clock clock;\n}\n")
    assert outline(java)[1:] == ["field A.clock 2-3"]
    assert signatures(java)["A.clock"] == "@Inject private Clock clock;"
    kotlin = read("A.kt", "@Serializable\ninternal class A(\n    val name: String,\n) : B() {\n    fun a() {}\n}\n")
    assert signatures(kotlin)["A"] == "@Serializable internal class A( val name: String, ) : B()"
    assert outline(read("B.kt", "@JvmStatic\nprivate fun b() = 1\n")) == ["function b 1-2"]


def test_signatures_end_where_a_body_begins() -> None:
    assert signatures(read("a.js", "const a = (\n  one,\n  two,\n) => {\n  go();\n};\n"))["a"] == (
        "const a = ( one, two, ) =>"
    )
    assert signatures(read("a.css", ".a,\n.b {\n  color: red;\n}\n"))[".a, .b"] == ".a, .b"


def test_paths_in_parts_and_names_in_quotes() -> None:
    assert imports(read("a.scala", "import a.b.{C, D}\nimport x.Y\n")) == [("a.b", 1), ("x.Y", 2)]
    assert outline(read("a.yaml", '"db": 1\n')) == ["key db 1-1 +"]
