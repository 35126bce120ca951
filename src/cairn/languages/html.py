"""HTML: headings and what has an id."""

from cairn.languages.grammar import Grammar
from cairn.languages.modules.rules import Relative
from cairn.languages.record import DATA, Language

_VALUE = "[(quoted_attribute_value (attribute_value) {0}) (attribute_value) {0}]"
_NAME, _SOURCE = _VALUE.format("@name"), _VALUE.format("@source")

_GRAMMAR = Grammar(
    "tree-sitter-html==0.23.2",
    query=f"""
        (element (start_tag (tag_name) @_heading) . (text) @name
            (#match? @_heading "^[hH][1-6]$")) @definition.heading
        (element [(start_tag (attribute (attribute_name) @_id {_NAME}))
            (self_closing_tag (attribute (attribute_name) @_id {_NAME}))]
            (#eq? @_id "id")) @definition.key
        (script_element (start_tag (attribute (attribute_name) @_src {_SOURCE}))
            (#eq? @_src "src")) @import
        (element [(start_tag (tag_name) @_link (attribute (attribute_name) @_href {_SOURCE}))
            (self_closing_tag (tag_name) @_link (attribute (attribute_name) @_href {_SOURCE}))]
            (#eq? @_link "link") (#eq? @_href "href")) @import
        (comment) @comment
    """,
)


LANGUAGE = Language(name="html", grammar=_GRAMMAR, modules=Relative, content=DATA)
