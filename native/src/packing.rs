//! A file as a segment holds it. Reference: `cairn.indexing.prepare` and `cairn.store.packed`.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::chunks::{Chunk, chunk_lines};
use crate::extract::{Call, Symbol};
use crate::grammar::Grammar;
use crate::hashing::{HashMap, HashSet};
use crate::rows::{Found, Rows};
use crate::strings::{Strings, packed as packed_columns};
use crate::text::{MAX_NAME, prefix};

const ANCHOR_NAMES: usize = 60;

/// What rows say that the core can't know.
#[derive(FromPyObject)]
pub struct Labels {
    folded: String,
    version: String,
    layer: String,
}

/// Different strings, in the order of their first coming.
fn different<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen: HashSet<&str> = HashSet::default();
    texts.filter(|text| seen.insert(text)).collect()
}

/// Columns of text and of numbers, joined.
fn joined(texts: &[&[&str]], numbers: &[Vec<u32>]) -> Vec<u8> {
    let mut strings = Strings::default();
    let texts: Vec<Vec<u32>> =
        texts.iter().map(|column| column.iter().map(|&text| strings.number(Cow::Borrowed(text))).collect()).collect();
    packed_columns(&strings, &texts, numbers)
}

/// The columns of a file's chunks, and last of the anchor that stands for the file as a whole.
fn chunks(labels: &Labels, chunks: &[Chunk], symbols: &[String], anchor: &str) -> Vec<u8> {
    let rows = chunks.len() + 1;
    let (mut kinds, mut own) = (vec!["text"; rows], vec![""; rows]);
    (kinds[rows - 1], own[rows - 1]) = ("anchor", anchor);
    let symbols: Vec<&str> = symbols.iter().map(String::as_str).chain([""]).collect();
    let column = |value: fn(&Chunk) -> usize, last: u32| -> Vec<u32> {
        chunks.iter().map(|chunk| value(chunk) as u32).chain([last]).collect()
    };
    let numbers = [
        column(|chunk| chunk.start_line, 1),
        column(|chunk| chunk.end_line, 1),
        column(|chunk| chunk.start, 0),
        column(|chunk| chunk.end, 0),
    ];
    joined(
        &[&kinds, &vec![labels.folded.as_str(); rows], &vec![labels.version.as_str(); rows], &symbols, &own],
        &numbers,
    )
}

fn symbols(layer: &str, symbols: &[Symbol], exported: &[bool]) -> Vec<u8> {
    let text = |value: for<'s> fn(&'s Symbol) -> &'s str| symbols.iter().map(value).collect::<Vec<&str>>();
    let number = |value: fn(&Symbol) -> usize| symbols.iter().map(|symbol| value(symbol) as u32).collect::<Vec<u32>>();
    joined(
        &[
            &vec![layer; symbols.len()],
            &text(|symbol| &symbol.name),
            &text(|symbol| &symbol.qualified),
            &text(|symbol| symbol.kind),
            &text(|symbol| &symbol.signature),
            &text(|symbol| &symbol.container),
            &text(|symbol| &symbol.doc),
        ],
        &[
            number(|symbol| symbol.start_line),
            number(|symbol| symbol.end_line),
            number(|symbol| symbol.name_line),
            exported.iter().map(|&exported| u32::from(exported)).collect(),
        ],
    )
}

fn uses(layer: &str, calls: &[Call], symbols: &[Symbol]) -> Vec<u8> {
    let text = |value: &dyn for<'s> Fn(&'s Call) -> &'s str| calls.iter().map(value).collect::<Vec<&str>>();
    let callers = calls.iter().map(|call| call.caller.map_or("", |number| symbols[number].qualified.as_str()));
    joined(
        &[
            &text(&|call| &call.name),
            &text(&|call| &call.receiver),
            &vec![layer; calls.len()],
            &vec!["call"; calls.len()],
            &callers.collect::<Vec<&str>>(),
        ],
        &[calls.iter().map(|call| call.line as u32).collect()],
    )
}

/// What a file is about: its head comment, what it offers and what it asks for.
fn anchor(found: &Found, exported: &[bool], sources: &[&str]) -> String {
    let offers = found.facts.symbols.iter().zip(exported);
    let offers = offers.filter(|(symbol, exported)| **exported && symbol.container.is_empty());
    let offers = different(offers.take(ANCHOR_NAMES).map(|(symbol, _)| symbol.name.as_str())).join(" ");
    let mut asks = different(sources.iter().copied());
    asks.truncate(ANCHOR_NAMES);
    let parts = [found.facts.top_comment.as_str(), &offers, &asks.join(" ")];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What the hash of a file's interface is taken of: `json.dumps` of what others see, in order.
fn interface(symbols: &[Symbol], exported: &[bool]) -> String {
    let seen = symbols.iter().zip(exported).filter(|each| *each.1);
    let mut seen: Vec<[&str; 3]> =
        seen.map(|(symbol, _)| [symbol.qualified.as_str(), symbol.kind, symbol.signature.as_str()]).collect();
    seen.sort_unstable();
    let mut json = String::from("[");
    for (number, each) in seen.iter().enumerate() {
        json.push_str(if number > 0 { ",[" } else { "[" });
        for (place, text) in each.iter().enumerate() {
            json.push_str(if place > 0 { ",\"" } else { "\"" });
            escape(text, &mut json);
            json.push('"');
        }
        json.push(']');
    }
    json.push(']');
    json
}

fn escape(text: &str, json: &mut String) {
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\x08' => json.push_str("\\b"),
            '\x0c' => json.push_str("\\f"),
            ' '..='~' => json.push(character),
            _ => character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| json.push_str(&format!("\\u{unit:04x}"))),
        }
    }
}

/// The texts of chunks; None where one is smaller than a character.
fn texts<'a>(text: &'a str, chunks: &[Chunk]) -> Option<Vec<&'a str>> {
    chunks.iter().map(|chunk| text.get(chunk.start..chunk.end)).collect()
}

/// Texts and symbols of the rows; columns of chunks, symbols, uses, occurrences and flows; edges; and last the names that
/// are defined, each once, what the interface's hash is taken of, and the tree.
pub fn packed<'py>(
    py: Python<'py>,
    grammar: &Grammar,
    text: &str,
    found: &Found,
    labels: &Labels,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let Found { facts, chunks: cut, names: Some(names), tree } = found else { return Ok(None) };
    let Some(mut texts) = texts(text, cut) else { return Ok(None) };
    let rows = Rows::new(py, text);
    let exported = rows.exported(grammar, &facts.symbols)?;
    let mut edges = Vec::with_capacity(facts.imports.len());
    for ((_, written), import) in &facts.imports {
        let kind = if import.is_again() { "reexport" } else { "import" };
        let bound = rows.bound(grammar, written, import)?;
        edges.push((labels.layer.as_str(), kind, prefix(written, MAX_NAME), import.line, bound));
    }
    let sources: Vec<&str> = edges.iter().map(|edge| edge.2).collect();
    let qualified = |&number: &usize| facts.symbols[number].qualified.as_str();
    let mut inside: Vec<String> =
        cut.iter().map(|chunk| chunk.symbols.iter().map(qualified).collect::<Vec<_>>().join("\n")).collect();
    let anchor = anchor(found, &exported, &sources);
    let mut places: HashMap<&str, u32> = HashMap::from_iter([("", 0)]);
    for (number, symbol) in facts.symbols.iter().enumerate() {
        places.entry(&symbol.qualified).or_insert(number as u32 + 1);
    }
    let blocks = py.detach(|| {
        [
            chunks(labels, cut, &inside, &anchor),
            symbols(&labels.layer, &facts.symbols, &exported),
            uses(&labels.layer, &facts.calls, &facts.symbols),
            names.placed(&places),
            names.flows.placed(&places),
        ]
    });
    let [chunks, symbols, uses, names, flows] = blocks.map(|block| PyBytes::new(py, &block));
    let defined = different(facts.symbols.iter().map(|symbol| symbol.name.as_str()));
    let interface = interface(&facts.symbols, &exported);
    texts.push(&anchor);
    inside.push(String::new());
    let interface = PyBytes::new(py, interface.as_bytes());
    let tree = PyBytes::new(py, tree);
    let last = (defined, interface, tree);
    (texts, inside, chunks, symbols, uses, names, flows, edges, last).into_pyobject(py).map(Some)
}

/// The texts of the rows and the columns of chunks of a file that is cut by its lines; None where only the reference
/// can tell.
#[pyfunction]
pub fn packed_by_lines<'py>(
    py: Python<'py>,
    data: &[u8],
    chunk_bytes: usize,
    max_chunks: usize,
    labels: Labels,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let Ok(text) = std::str::from_utf8(data) else { return Ok(None) };
    let cut = chunk_lines(text, chunk_bytes, max_chunks);
    let Some(mut texts) = texts(text, &cut) else { return Ok(None) };
    let block = PyBytes::new(py, &chunks(&labels, &cut, &vec![String::new(); cut.len()], ""));
    texts.push("");
    (texts, block).into_pyobject(py).map(Some)
}
