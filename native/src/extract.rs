//! From a syntax tree to facts. Reference: `cairn.syntax.extract`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tree_sitter::Node;

use crate::comments::{Comment, clean_comment, top_comment};
use crate::define::Definitions;
use crate::definitions::{Definition, one_of_clauses, qualify, sort};
use crate::hashing::{HashMap, HashSet};
use crate::matches::{Import, Matched, Sections};
use crate::receivers::receiver_of;
use crate::rules::Rules;
use crate::source::Source;
use crate::text::{MAX_NAME, Unsure, is_blank, line_start, prefix};

/// A definition, all but whether it is exported.
pub struct Symbol<'a> {
    pub name: String,
    pub qualified: String,
    pub kind: &'a str,
    pub signature: String,
    pub start_line: usize,
    pub end_line: usize,
    pub name_line: usize,
    pub container: String,
    pub doc: String,
    /// What stands before its body, with its attributes; empty where no rule asks for it.
    pub head: String,
    /// Whether it is exported, where marks beside it tell.
    pub shown: Option<bool>,
    /// Whether it is exported elsewhere in the file.
    pub is_given: bool,
}

/// A definition's place in bytes, with its doc comment: what chunks follow.
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub symbol: Option<usize>,
}

/// A place where something is called by name.
pub struct Call<'a> {
    pub name: Cow<'a, str>,
    pub line: usize,
    /// The symbol around it.
    pub caller: Option<usize>,
    pub receiver: Cow<'a, str>,
}

/// What a syntax tree says of a file.
pub struct Extracted<'a> {
    pub symbols: Vec<Symbol<'a>>,
    pub spans: Vec<Span>,
    /// By place and by what is asked for.
    pub imports: BTreeMap<(usize, String), Import>,
    pub calls: Vec<Call<'a>>,
    pub top_comment: String,
}

/// Symbols, imports, calls and comments of one tree, from what the matches in it say.
pub fn extract<'a>(rules: &'a Rules, mut found: Matched<'a, '_>, source: &Source<'a>) -> Result<Extracted<'a>, Unsure> {
    let mut definitions =
        Definitions { rules, source, wrapped: &found.wrapped, found: Vec::new(), keys: HashMap::default() };
    for head in &found.heads {
        definitions.define(head)?;
    }
    let Definitions { found: mut ordered, keys, .. } = definitions;
    sort(&mut ordered);
    if rules.clauses {
        ordered = one_of_clauses(ordered, &found.comments, source.data);
    }
    qualify(&mut ordered);
    // Some grammars write a definition's head as a call.
    let heads: HashSet<usize> = keys.keys().map(|key| key.0).collect();
    let calls = calls(&mut found.calls, &heads, source, &ordered);
    let top_comment = top_comment(&found.comments, source.text)?;
    let (symbols, spans) = symbols(ordered, &found, source)?;
    Ok(Extracted { symbols, spans, imports: found.imports, calls, top_comment })
}

fn calls<'a>(
    raw: &mut Vec<(usize, usize)>,
    heads: &HashSet<usize>,
    source: &Source<'a>,
    ordered: &[Definition],
) -> Vec<Call<'a>> {
    // Of several at one place the last one counts.
    raw.reverse();
    raw.sort_by_key(|call| call.0);
    raw.dedup_by_key(|call| call.0);
    let owners: Vec<(usize, usize)> =
        ordered.iter().filter(|item| !item.is_scope).map(|item| (item.start, item.end)).collect();
    let mut begun = 0;
    let mut row = 0;
    let mut calls = Vec::with_capacity(raw.len());
    for &(at, end) in raw.iter() {
        while owners.get(begun).is_some_and(|owner| owner.0 <= at) {
            begun += 1;
        }
        while source.lines.get(row).is_some_and(|&start| start <= at) {
            row += 1;
        }
        if heads.contains(&at) {
            continue;
        }
        let name = match source.decoded(at, end) {
            Cow::Borrowed(name) => Cow::Borrowed(prefix(name, MAX_NAME)),
            Cow::Owned(name) => Cow::Owned(prefix(&name, MAX_NAME).to_owned()),
        };
        calls.push(Call {
            name,
            line: row,
            // The nearest definition that began before and hasn't ended; nesting is shallow.
            caller: owners[..begun].iter().rposition(|owner| owner.1 > at),
            receiver: receiver_of(source.data, at),
        });
    }
    calls
}

fn symbols<'a>(
    ordered: Vec<Definition<'a, '_>>,
    found: &Matched,
    source: &Source<'a>,
) -> Result<(Vec<Symbol<'a>>, Vec<Span>), Unsure> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(ordered.len());
    let mut spans: Vec<Span> = Vec::with_capacity(ordered.len());
    let by_last_row: HashMap<usize, &Comment> =
        found.comments.iter().map(|comment| (comment.last_row, comment)).collect();
    for mut item in ordered {
        let mut start = item.start;
        let mut above = item.start_row.checked_sub(1);
        let mut texts: Vec<Cow<str>> = Vec::new();
        while let Some(comment) = above.and_then(|row| by_last_row.get(&row)) {
            if !is_blank(&source.data[line_start(source.data, comment.start)..comment.start]) {
                break; // it ends a line of code, so it belongs to that
            }
            start = comment.start;
            let text = source.decoded(comment.start, comment.end);
            if comment.is_comment {
                texts.push(text);
            } else {
                item.head = format!("{text} {}", item.head);
                item.start_row = comment.first_row;
            }
            above = comment.first_row.checked_sub(1);
        }
        let symbol = (!item.is_scope).then_some(symbols.len());
        spans.push(Span { start, end: item.end, symbol });
        if item.is_scope {
            continue;
        }
        texts.reverse();
        let doc = if item.doc.is_empty() { clean_comment(&texts.join("\n"))? } else { item.doc };
        let shown = hidden(item.outer, item.start, &found.sections).map(|hidden| !hidden);
        symbols.push(Symbol {
            shown,
            is_given: item.container.is_empty() && found.given.contains(item.name.as_str()),
            name: item.name,
            qualified: item.qualified,
            kind: item.kind,
            signature: item.signature,
            start_line: item.start_row + 1,
            end_line: item.end_row.max(item.start_row) + 1,
            name_line: item.name_row + 1,
            container: item.container,
            doc,
            head: item.head,
        });
    }
    Ok((symbols, spans))
}

/// Whether the last mark beside a definition and before it hides it.
fn hidden(outer: Node, start: usize, sections: &Sections) -> Option<bool> {
    if sections.is_empty() {
        return None;
    }
    let place = outer.parent().map_or((0, 0), |parent| (parent.start_byte(), parent.end_byte()));
    sections.get(&place)?.iter().rev().find(|mark| mark.0 < start).map(|mark| mark.1)
}
