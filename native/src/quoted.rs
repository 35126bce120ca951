//! Types that Python's annotations write in quotes: names that are code though they stand in a string.
//! Reference: `cairn.syntax.quoted`.

use std::borrow::Cow;

use tree_sitter::{Node, Parser};

use crate::occurrences::Role;
use crate::shapes::is;
use crate::source::Source;
use crate::text::Unsure;
use crate::ways::Way;

/// The content of a string that is a type or a part of one.
pub struct Quoted {
    pub start: usize,
    pub end: usize,
}

/// A name in such a string.
pub struct QuotedName<'a> {
    pub at: usize,
    pub name: &'a str,
    pub role: Role,
    /// What it is asked of, empty for nothing.
    pub receiver: Cow<'a, str>,
    /// Whether the text itself binds it.
    pub local: bool,
}

/// Whether the leaf of a way, the content of a string, is a type or a part of one.
pub fn is_annotation(way: &Way, source: &Source) -> bool {
    let at = way.leaf().start;
    let mut around = way.path.iter().rev().peekable();
    while let Some(frame) = around.next_if(|frame| frame.shape.is(is::STRING)) {
        if frame.shape.kind == "string" {
            let opening = frame.node.child(0).map_or(&[][..], |first| &source.data[first.byte_range()]);
            let plain = opening.iter().all(|byte| matches!(byte, b'r' | b'R' | b'u' | b'U' | b'"' | b'\''));
            if frame.node.child_count() != 3 || !plain {
                return false; // it has parts that are computed
            }
        }
    }
    let mut in_type = false;
    for frame in around.take_while(|frame| frame.shape.is(is::IN_ANNOTATION)) {
        if matches!(frame.shape.kind, "generic_type" | "subscript") && !takes(frame.node, source, at) {
            return false;
        }
        in_type = in_type || frame.shape.kind == "type";
    }
    in_type
}

/// Whether what is around a place in a type takes what stands there for a type.
fn takes(node: Node, source: &Source, at: usize) -> bool {
    let Some(head) = node.named_child(0) else { return false };
    let mut given = node.named_child(1);
    if node.kind() == "generic_type" {
        given = given.and_then(|given| given.named_child(0));
    }
    let written = &source.data[head.byte_range()];
    match written.rsplit(|&byte| byte == b'.').next() {
        Some(b"Literal") => false,
        Some(b"Annotated") => given.is_some_and(|given| at < given.end_byte()),
        _ => true,
    }
}

/// The names in a type in quotes, in order.
pub fn names_in<'a>(parser: &mut Parser, source: &Source<'a>, quoted: &Quoted) -> Result<Vec<QuotedName<'a>>, Unsure> {
    let Some(content) = source.text.get(quoted.start..quoted.end) else { return Err(Unsure) };
    let mut found = Vec::new();
    let tree = parser.parse(content, None).ok_or(Unsure)?;
    if tree.root_node().has_error() {
        return Ok(found);
    }
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.kind() == "identifier" {
            let name = &content[node.byte_range()];
            if let Some(receiver) = asked_of(node, content) {
                found.push(QuotedName {
                    at: quoted.start + node.start_byte(),
                    name,
                    role: Role::Type,
                    receiver,
                    local: false,
                });
            }
        }
        if node.kind() != "identifier" && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(found);
            }
        }
    }
}

/// What a name is asked of, empty for nothing; None where that has no text.
fn asked_of<'a>(node: Node, content: &'a str) -> Option<Cow<'a, str>> {
    let above = node.parent().filter(|above| above.kind() == "attribute");
    let Some(above) = above.filter(|above| above.child_by_field_name("attribute") == Some(node)) else {
        return Some("".into());
    };
    let asked = above.child_by_field_name("object")?;
    let text = &content[asked.byte_range()];
    (!text.is_empty()).then_some(text.into())
}
