//! What a name does where it stands: whether it is written, what it is taken from, whether it is only a key.
//! Reference: `cairn.syntax.roles`.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::chains::{Chains, UNKNOWN, path_of};
use crate::shapes::{is, pair};
use crate::source::Source;
use crate::text::is_space_byte;
use crate::values::{What, field_of, first_named};
use crate::ways::{Frame, Place, Way};

const MAX_RECEIVER: usize = 200;
const GLOBAL: &str = "\\";

/// Whether a name is that of a declaration: of members, too, that no symbol is made of.
pub fn is_declared(way: &Way) -> bool {
    way.leaf().field.name == "name" && way.up(1).shape.is(is::DECLARATION)
}

/// Whether one word is a key and a variable: `{ name }`.
pub fn is_shorthand(way: &Way) -> bool {
    way.leaf().shape.kind.starts_with("shorthand_") || way.up(1).shape.kind == "shorthand_field_initializer"
}

/// Whether a name is a keyword argument's or a key's: no use of a variable of that name.
pub fn is_keyword(way: &Way) -> bool {
    let (leaf, parent) = (way.leaf(), way.up(1));
    let (kind, field) = (parent.shape.kind, leaf.field.name);
    if leaf.shape.kind == "hash_key_symbol" || way.shapes.pair(parent.shape, leaf.field, pair::KEY) {
        return true;
    }
    match kind {
        "pair" => field == "key" && leaf.shape.kind == "property_identifier",
        "field_pattern" => leaf.shape.kind == "field_identifier",
        "keyword_pattern" => leaf.start == parent.start,
        "literal_element" if parent.field.name == "key" => !is_keyed_by_values(way),
        "value_argument" => leaf.node.next_sibling().is_some_and(|after| after.kind() == "="),
        "assignment_expression" if field == "left" && way.path.len() > 2 => {
            matches!(way.up(2).shape.kind, "initializer_expression" | "arguments")
        }
        "field" if field == "name" && way.path.len() > 2 && way.up(2).shape.kind == "table_constructor" => {
            leaf.node.prev_sibling().is_none_or(|before| before.kind() != "[")
        }
        _ => false,
    }
}

/// Whether a literal's key is a value: of `[]T{{key: 1}}` the inner literal makes a T, whose name it leaves out.
fn is_keyed_by_values(way: &Way) -> bool {
    let mut inner: usize = 0;
    for each in way.path.iter().rev() {
        if each.shape.kind == "composite_literal" {
            let mut made = each.node.child_by_field_name("type");
            for _ in 1..inner {
                made = made.and_then(|made| {
                    made.child_by_field_name("element").or_else(|| made.child_by_field_name("value"))
                });
            }
            return made.is_some_and(|made| match made.kind() {
                "map_type" | "array_type" | "implicit_length_array_type" | "slice_type" => true,
                // The fields of a struct that is written there are bound there.
                "struct_type" => inner > 1,
                _ => false,
            });
        }
        inner += usize::from(each.shape.kind == "literal_value");
    }
    false
}

/// What stands before the connector: names and connectors as written, all else as a chain; None for a name that follows
/// none.
pub fn receiver<'a>(way: &Way, chains: &Chains<'_, 'a>) -> Option<Cow<'a, str>> {
    let source = chains.source;
    let path = &way.path;
    let mut at = path.len() - 1;
    if path[at - 1].shape.kind == "variable_name" {
        at -= 1;
    }
    let start = path[at].start;
    let is_white = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let last = source.data[..start].iter().rev().find(|byte| !is_white(byte));
    if !matches!(last, Some(b'.' | b'>' | b':' | b'\\')) && !path[at].field.is(is::MEMBER_FIELD) {
        return None;
    }
    at = outermost_from(path, at);
    if at == 0 {
        return None;
    }
    let link = previous(way, way.place(at))?;
    let above = &path[at - 1];
    if !connects(way, link, above) {
        return None;
    }
    let sign = way.node(link);
    let first = if above.shape.is(is::FLAT) {
        flat_start(way, link)
    } else if above.shape.is(is::QUALIFIED_HEAD) {
        way.node(way.before(link).unwrap_or(link)).start_byte()
    } else if sign.start_byte() != above.start {
        whole_path(path, at - 1)
    } else if above.shape.is(is::SUFFIX) {
        chain_start(way, at - 1)
    } else {
        return Some(if way.shape_at(link).kind == GLOBAL { GLOBAL } else { "" }.into());
    };
    let end = sign.start_byte();
    let written = shortened(source, first, end);
    Some(if is_plain(written.as_bytes()) { written } else { chained(way, at - 1, chains, first, end) })
}

/// Whether a receiver is nothing but names and connectors.
fn is_plain(written: &[u8]) -> bool {
    let mut rest = written.strip_prefix(b"\\").unwrap_or(written);
    if rest.is_empty() {
        return true;
    }
    let named;
    if let Some(behind) = rest.strip_prefix(b"super()") {
        named = [b"super", behind].concat();
        rest = &named;
    }
    loop {
        let marks = rest.iter().take_while(|&&byte| matches!(byte, b'@' | b'$')).count();
        rest = &rest[marks..];
        let size = rest.iter().take_while(|&&byte| is_word(byte)).count();
        if size == 0 || rest[0].is_ascii_digit() {
            return false;
        }
        rest = &rest[size..];
        if rest.is_empty() {
            return true;
        }
        match joint(rest) {
            0 => return false,
            size => rest = &rest[size..],
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte >= 128 || byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// How many bytes the connector has that something begins with.
fn joint(rest: &[u8]) -> usize {
    match rest {
        [b'?' | b'!', b'.', ..] | [b'-', b'>', ..] | [b':', b':', ..] => 2,
        [b'.' | b'\\', ..] => 1,
        _ => 0,
    }
}

/// The chain of what a name is asked of, by the place of the node that asks for it.
fn chained<'a>(way: &Way, at: usize, chains: &Chains<'_, 'a>, first: usize, end: usize) -> Cow<'a, str> {
    let path = &way.path;
    let above = &path[at];
    let owner = if above.shape.is(is::SUFFIX) && at > 0 { &path[at - 1] } else { above };
    let rule = chains.values.rule(owner.node);
    if rule.is_some_and(|rule| rule.what == What::Path) {
        return path_of(chains.source.data.get(first..end).unwrap_or_default());
    }
    let base = if above.shape.kind == "member_binding_expression" {
        let asked = path[..at].iter().rfind(|each| each.shape.kind == "conditional_access_expression");
        asked.and_then(|asked| asked.node.child_by_field_name("condition"))
    } else {
        let rule = rule.filter(|rule| matches!(rule.what, What::Member | What::Call));
        rule.and_then(|rule| field_of(owner.node, &rule.bases).or_else(|| first_named(owner.node)))
    };
    base.filter(|base| base.end_byte() <= end).map_or(UNKNOWN.into(), |base| chains.chain(base))
}

/// What stands before a dot, without spaces and in a limited length.
fn shortened<'a>(source: &Source<'a>, start: usize, end: usize) -> Cow<'a, str> {
    let written = source.data.get(start..end).unwrap_or_default();
    if written.len() <= MAX_RECEIVER
        && !written.iter().any(|&byte| is_space_byte(byte))
        && let Some(text) = source.text.get(start..end)
    {
        return text.strip_suffix('?').unwrap_or(text).into();
    }
    let kept: Vec<u8> = written.iter().copied().filter(|&byte| !is_space_byte(byte)).take(MAX_RECEIVER).collect();
    let mut text: String = kept.utf8_chunks().map(|part| part.valid()).collect();
    if text.ends_with('?') {
        text.pop();
    }
    text.into()
}

/// The outermost frame that begins where one does.
fn outermost_from(path: &[Frame], mut at: usize) -> usize {
    let start = path[at].start;
    while at > 0 && path[at - 1].start == start {
        at -= 1;
    }
    at
}

fn connects(way: &Way, link: Place, above: &Frame) -> bool {
    let (sign, kind) = (way.shape_at(link), above.shape.kind);
    match sign.kind {
        // An arrow may also lead to a result or a body.
        "->" => above.shape.is(is::FLAT) || kind.starts_with("field_expression") || kind.starts_with("member_"),
        "\\" => kind.contains("name"),
        ":" if kind == "method_index_expression" => true,
        _ => sign.is(is::CONNECTOR),
    }
}

fn previous(way: &Way, place: Place) -> Option<Place> {
    let mut found = way.before(place)?;
    while way.node(found).is_extra() || way.shape_at(found).kind == "type_arguments" {
        found = way.before(found)?;
    }
    Some(found)
}

/// Among tokens that no rule has put together: back over names and connectors.
fn flat_start(way: &Way, link: Place) -> usize {
    let mut start = way.node(link).start_byte();
    let mut before = way.before(link);
    while let Some(name) = before.filter(|&place| way.node(place).is_named()) {
        start = way.node(name).start_byte();
        let sign = way.before(name).filter(|&place| way.shape_at(place).is(is::CONNECTOR));
        before = sign.and_then(|sign| way.before(sign));
    }
    start
}

/// Where the chain begins whose link is a node of its own (`.b` after `a`).
fn chain_start(way: &Way, at: usize) -> usize {
    let at = outermost_from(&way.path, at);
    let Some(mut before) = way.before(way.place(at)) else { return way.path[at].start };
    while matches!(way.shape_at(before).kind, "selector" | "?")
        && let Some(earlier) = way.before(before)
    {
        before = earlier;
    }
    way.node(before).start_byte()
}

/// `A::B::f` may be nested to the right: its whole path is what stands before `f`.
fn whole_path(path: &[Frame], mut at: usize) -> usize {
    let is_path = |frame: &Frame| frame.shape.kind == "qualified_identifier";
    while at > 0 && is_path(&path[at]) && is_path(&path[at - 1]) {
        at -= 1;
    }
    path[at].start
}

/// The place in the path of the node that a name's patterns and declarators stand in.
///
/// `binds`: whether it ends at what binds names in the language.
pub fn target(way: &Way, path: &[Frame], binds: bool) -> usize {
    let last = path.len() - 1;
    let mut found = last - 1;
    let mut asked = last;
    while found > 0 {
        let is_binder = binds && way.shapes.binder(path[found].shape, path[found + 1].field).is_some();
        if is_binder || !passes(way, path, found) {
            break;
        }
        asked = found;
        // What stands in a deep pattern has the same target as what stood before it.
        found = path[asked].target[usize::from(binds)].get().unwrap_or(asked - 1);
        if found + 1 < asked {
            break;
        }
    }
    for frame in &path[asked..last] {
        frame.target[usize::from(binds)].set(Some(found));
    }
    found
}

fn passes(way: &Way, path: &[Frame], at: usize) -> bool {
    let (frame, child, above) = (&path[at], &path[at + 1], path[at - 1].shape.kind);
    let kind = frame.shape.kind;
    if frame.shape.is(is::THROUGH) {
        return way.shapes.pair(frame.shape, child.field, pair::PASSES)
            && !(kind == "class_pattern" && child.shape.kind == "dotted_name");
    }
    match kind {
        "dotted_name" => {
            let same = frame.start == child.start && frame.end == child.end;
            same && matches!(above, "case_pattern" | "keyword_pattern")
        }
        // Lua's `local a = 1`
        "assignment_statement" => child.shape.kind == "variable_list" && above == "variable_declaration",
        "pair" => above == "foreach_statement",
        "function_declarator" => child.shape.kind == "parenthesized_declarator",
        "as_pattern" => child.shape.kind == "case_pattern" || (child.field.name.is_empty() && above == "case_pattern"),
        _ => false,
    }
}

/// Whether what the name stands for is assigned; `taken` for a name behind a connector.
pub fn writes(way: &Way, taken: bool) -> bool {
    let path = &way.path;
    let mut at = path.len() - 1;
    if taken {
        if path[at - 1].shape.kind == "dotted_name" {
            return false;
        }
        let end = path[at].end;
        at -= 1;
        while at > 1 && path[at - 1].end == end && path[at - 1].shape.is(is::NAVIGATION) {
            at -= 1;
        }
        if path[at].end != end {
            return false;
        }
        if path[at].shape.kind == "directly_assignable_expression" {
            at += 1;
        }
        if at == 0 {
            return false;
        }
    }
    let found = target(way, &path[..=at], false);
    let (above, child) = (&path[found], &path[found + 1]);
    if way.shapes.pair(above.shape, child.field, pair::WRITE) {
        let in_lists = above.shape.kind == "assignment_statement" && child.field.name.is_empty();
        return !in_lists || child.shape.kind == "variable_list";
    }
    if above.shape.kind == "foreach_statement" && child.field.name.is_empty() {
        return above.node.named_child(0).is_some_and(|first| child.start > first.start_byte());
    }
    above.shape.is(is::STEP) && has_child(above.node, |kind| matches!(kind, "++" | "--"))
}

/// Whether a node has a child of some kind.
pub fn has_child(node: Node, wanted: impl Fn(&str) -> bool) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| wanted(child.kind()))
}
