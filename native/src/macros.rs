//! Words in the bodies of C's macros: names of code, though the grammar leaves a body one text.
//! Reference: `cairn.syntax.macros`.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::occurrences::Role;
use crate::quoted::QuotedName;
use crate::receivers::receiver_of;
use crate::source::Source;
use crate::ways::Way;

pub const BODY: &str = "preproc_arg";

/// The text behind a directive that is code.
pub struct MacroBody<'a> {
    start: usize,
    end: usize,
    parameters: HashSet<&'a str>,
}

/// What stands at a place of a body.
enum Token {
    /// The rest is a comment.
    End,
    Word,
    Other,
}

/// The body that the leaf of a way is; None where a directive takes no code.
pub fn body_at<'a>(way: &Way, source: &Source<'a>, macros: &HashSet<String>) -> Option<MacroBody<'a>> {
    let (leaf, above) = (way.leaf(), way.up(1));
    if !takes_code(above.node, source, macros) {
        return None;
    }
    let mut parameters = HashSet::new();
    if let Some(heads) = above.node.child_by_field_name("parameters") {
        let mut cursor = heads.walk();
        let named = heads.named_children(&mut cursor).filter(|each| each.kind() == "identifier");
        parameters.extend(named.filter_map(|each| source.text.get(each.byte_range())));
    }
    Some(MacroBody { start: leaf.start, end: leaf.end, parameters })
}

fn takes_code(directive: Node, source: &Source, macros: &HashSet<String>) -> bool {
    if directive.kind() != "preproc_call" {
        return macros.contains(directive.kind());
    }
    let Some(named) = directive.child_by_field_name("directive") else { return false };
    let said = &source.data[named.byte_range()];
    let signs = said.iter().take_while(|byte| matches!(byte, b'#' | b' ' | b'\t')).count();
    &said[signs..] == b"undef"
}

/// The names in the body of a macro, in order.
pub fn words_in<'a>(source: &Source<'a>, body: &MacroBody<'a>, reserved: &HashSet<String>) -> Vec<QuotedName<'a>> {
    let mut found = Vec::new();
    let data = &source.data[..body.end];
    let (mut at, mut before): (usize, &[u8]) = (body.start, b"");
    while at < body.end {
        if is_gap(data[at]) {
            at += 1;
            continue;
        }
        let (token, end) = token_at(data, at);
        let (start, left) = (at, before);
        before = &data[start..end];
        at = end;
        match token {
            Token::End => break,
            Token::Other => continue,
            Token::Word => {}
        }
        let Some(word) = source.text.get(start..end).filter(|word| word.is_ascii() && !reserved.contains(*word)) else {
            continue;
        };
        let gap = data[end..].iter().take_while(|&&byte| is_gap(byte)).count();
        let right = &data[end + gap..];
        let local = body.parameters.contains(word);
        if !local && (left == b"##" || right.starts_with(b"##")) {
            continue; // it is put together with what is beside it
        }
        let role = match left {
            b"struct" | b"union" | b"enum" | b"class" => Role::Type,
            _ if right.starts_with(b"(") => Role::Call,
            _ => Role::Read,
        };
        found.push(QuotedName { at: start, name: word, role, receiver: receiver_of(source.data, start), local });
    }
    found
}

/// What begins at a place, and where it ends.
fn token_at(data: &[u8], at: usize) -> (Token, usize) {
    let rest = &data[at..];
    match rest {
        [b'/', b'/', ..] => (Token::End, data.len()),
        [b'/', b'*', inside @ ..] => {
            let size = inside.windows(2).position(|pair| pair == b"*/").map_or(inside.len(), |size| size + 2);
            (Token::Other, at + 2 + size)
        }
        [quote @ (b'"' | b'\''), inside @ ..] => (Token::Other, at + closed(inside, *quote).map_or(1, |size| size + 2)),
        [b'.', digit, ..] if digit.is_ascii_digit() => (Token::Other, number_end(data, at + 2)),
        [digit, ..] if digit.is_ascii_digit() => (Token::Other, number_end(data, at + 1)),
        [first, ..] if is_word(*first) => (Token::Word, at + rest.iter().take_while(|&&byte| is_word(byte)).count()),
        [b'#', b'#', ..] => (Token::Other, at + 2),
        _ => (Token::Other, at + 1),
    }
}

/// Where a text in quotes ends; None where nothing closes it.
fn closed(inside: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    while at < inside.len() && inside[at] != quote {
        at += if inside[at] == b'\\' { 2 } else { 1 };
    }
    (at < inside.len()).then_some(at)
}

/// Where a number ends that goes on at a place.
fn number_end(data: &[u8], mut at: usize) -> usize {
    let belongs = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    loop {
        match &data[at..] {
            [b'e' | b'E' | b'p' | b'P', b'-' | b'+', ..] => at += 2,
            [b'\'' | b'.', next, ..] if belongs(*next) => at += 2,
            [next, ..] if belongs(*next) => at += 1,
            _ => return at,
        }
    }
}

/// Of a word; a digit never begins one.
fn is_word(byte: u8) -> bool {
    byte >= 128 || byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\\')
}
