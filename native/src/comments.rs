//! The words of comments: without their signs, and at the head of a file without licences.
//! Reference: `cairn.syntax.comments`.

use std::borrow::Cow;

use crate::text::{Unsure, is_space, lines, prefix, words};

const MAX_DOC: usize = 600;
const LICENCE_CHARS: usize = 400;
const MAGIC_BYTES: usize = 200;
const HEAD_ROWS: usize = 40;
const TAGS: [&str; 11] =
    ["summary", "remarks", "para", "returns", "param", "typeparam", "value", "example", "inheritdoc", "c", "see"];
const LAW: [&str; 11] = [
    "copyright",
    "license",
    "licence",
    "spdx",
    "all rights reserved",
    "maintainer",
    "stability",
    "portability",
    "redistribut",
    "warrant",
    "liab",
];

/// A comment's place; the order of the fields is the order of comments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comment {
    pub first_row: usize,
    pub last_row: usize,
    pub start: usize,
    pub end: usize,
    /// Else it is an attribute.
    pub is_comment: bool,
}

/// A comment's words without its signs.
pub fn clean_comment(text: &str) -> Result<String, Unsure> {
    let tagged = text.contains('<');
    let mut kept = String::new();
    let mut size = 0;
    for line in lines(text) {
        let plain = if tagged { without_tags(line)? } else { line.into() };
        let bare = plain.trim_start_matches(comes_before).trim_end_matches(comes_behind);
        let mut is_first = true;
        for word in words(bare) {
            if !kept.is_empty() {
                kept.push(' ');
                size += usize::from(!is_first);
            }
            is_first = false;
            size += word.chars().count();
            kept.push_str(word);
        }
        if !is_first {
            size += 1;
            if size > MAX_DOC {
                break;
            }
        }
    }
    kept.truncate(prefix(&kept, MAX_DOC).len());
    Ok(kept)
}

fn comes_before(sign: char) -> bool {
    matches!(sign, '/' | '*' | '#' | '!' | ';' | '%' | '-' | '"' | '\'' | '`' | '(' | '<' | '{' | '|') || is_space(sign)
}

fn comes_behind(sign: char) -> bool {
    matches!(sign, '*' | '/' | '"' | '\'' | '`' | ')' | '-' | '>' | '}' | '|') || is_space(sign)
}

/// A line without the tags of doc comments.
fn without_tags(line: &str) -> Result<Cow<'_, str>, Unsure> {
    let mut kept = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(open) = line[at..].find('<') {
        let start = at + open;
        match tag_end(line, start)? {
            Some(end) => {
                kept.push_str(&line[copied..start]);
                copied = end;
                at = end;
            }
            None => at = start + 1,
        }
    }
    if copied == 0 {
        return Ok(line.into());
    }
    kept.push_str(&line[copied..]);
    Ok(kept.into())
}

/// Where the tag ends that begins at a place.
fn tag_end(line: &str, start: usize) -> Result<Option<usize>, Unsure> {
    let rest = &line[start + 1..];
    let inner = rest.strip_prefix('/').unwrap_or(rest);
    for behind in TAGS.iter().filter_map(|tag| inner.strip_prefix(tag)) {
        let next = behind.chars().next();
        if next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '_') {
            continue;
        }
        if let Some(close) = behind.find(['<', '>'])
            && behind[close..].starts_with('>')
        {
            // Whether a word ends before it is in Python's tables.
            if !next.is_some_and(|next| next.is_ascii()) {
                return Err(Unsure);
            }
            return Ok(Some(line.len() - behind.len() + close + 1));
        }
    }
    Ok(None)
}

/// The comment at the head of a file, licences aside.
pub fn top_comment(comments: &[Comment], text: &str) -> Result<String, Unsure> {
    let data = text.as_bytes();
    let mut texts: Vec<String> = Vec::new();
    let mut expected = None;
    for comment in comments {
        let &Comment { first_row, last_row, start, end, is_comment } = comment;
        if !is_comment || data[start..].starts_with(b"#!") {
            continue;
        }
        if texts.is_empty() {
            let head = String::from_utf8_lossy(&data[start..end.min(start + MAGIC_BYTES)]);
            if is_magic(&clean_comment(&head)?) {
                continue;
            }
        }
        if expected.is_none() && first_row > HEAD_ROWS {
            break;
        }
        if expected.is_some_and(|expected| first_row > expected) {
            let found = clean_comment(&texts.join("\n"))?;
            if !found.is_empty() && !is_licence(&found) {
                return Ok(found);
            }
            texts.clear();
        }
        texts.push(without_law(&String::from_utf8_lossy(&data[start..end]))?);
        expected = Some(last_row + 1);
    }
    let found = clean_comment(&texts.join("\n"))?;
    Ok(if is_licence(&found) { String::new() } else { found })
}

/// Whether a comment speaks to a tool.
fn is_magic(text: &str) -> bool {
    let coding = text.strip_prefix("-*- ").unwrap_or(text);
    ["frozen_string_literal", "eslint", "@ts-", "vi:", "vim:", "prettier", "xml", "<xml"]
        .iter()
        .any(|start| text.starts_with(start))
        || coding.starts_with("coding:")
        || coding.starts_with("coding=")
}

/// A head comment without its paragraphs about law.
fn without_law(text: &str) -> Result<String, Unsure> {
    let mut kept: Vec<Cow<str>> = Vec::new();
    for paragraph in paragraphs(text) {
        let mut legal: Vec<&str> = Vec::new();
        for line in lines(paragraph) {
            if is_legal(line)? {
                legal.push(line);
            }
        }
        if legal.is_empty() {
            kept.push(paragraph.into());
        } else if legal.iter().all(|line| line.contains(':') || line.contains("opyright")) {
            // A block of fields or one line of copyright above the text that matters.
            let rest: Vec<&str> = lines(paragraph).filter(|line| !legal.contains(line)).collect();
            kept.push(rest.join("\n").into());
        }
    }
    Ok(kept.join("\n"))
}

/// What stands between lines that hold nothing but the signs of comments.
fn paragraphs(text: &str) -> Vec<&str> {
    let data = text.as_bytes();
    let mut found = Vec::new();
    let mut left = 0;
    let mut at = 0;
    while let Some(newline) = data[at..].iter().position(|&byte| byte == b'\n').map(|place| at + place) {
        let behind = data[newline + 1..]
            .iter()
            .position(|byte| !matches!(byte, b' ' | b'\t' | b'*' | b'#' | b'/' | b';' | b'-'))
            .map(|place| newline + 1 + place);
        at = newline + 1;
        if let Some(end) = behind
            && data[end] == b'\n'
        {
            found.push(&text[left..newline]);
            left = end + 1;
            at = left;
        }
    }
    found.push(&text[left..]);
    found
}

fn is_legal(line: &str) -> Result<bool, Unsure> {
    let low = folded(line);
    if LAW.iter().any(|word| low.contains(word)) {
        return Ok(true);
    }
    is_field(&low)
}

/// `^\W*(?:module|author)\s*:`
fn is_field(low: &str) -> Result<bool, Unsure> {
    let Some(start) = low.find(|sign: char| sign.is_ascii_alphanumeric() || sign == '_') else { return Ok(false) };
    let word = ["module", "author"].iter().find_map(|word| low[start..].strip_prefix(word));
    if !word.is_some_and(|behind| behind.trim_start_matches(is_space).starts_with(':')) {
        return Ok(false);
    }
    // Whether a letter stands before it is in Python's tables.
    if low[..start].is_ascii() { Ok(true) } else { Err(Unsure) }
}

/// A text in which what differs only in the case of ASCII letters is the same.
fn folded(line: &str) -> String {
    let low = line.to_ascii_lowercase();
    if low.is_ascii() {
        return low;
    }
    // The only characters beyond ASCII that equal a letter of it when case is ignored.
    low.replace(['\u{130}', '\u{131}'], "i").replace('\u{17f}', "s").replace('\u{212a}', "k")
}

fn is_licence(text: &str) -> bool {
    let low = prefix(text, LICENCE_CHARS).to_ascii_lowercase();
    low.contains("copyright") || low.contains("licen") || low.contains("spdx")
}
