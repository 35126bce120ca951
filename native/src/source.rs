//! The text of a file with the places of its lines.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::text::{is_space_byte, trimmed_end};

/// A text with the places of its lines.
pub struct Source<'a> {
    pub text: &'a str,
    pub data: &'a [u8],
    /// Where each line begins; there is an empty one behind the last newline.
    pub lines: Vec<usize>,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str) -> Self {
        let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, data: text.as_bytes(), lines: std::iter::once(0).chain(newlines).collect() }
    }

    /// The row that a byte stands in.
    pub fn row(&self, byte: usize) -> usize {
        self.lines.partition_point(|&start| start <= byte) - 1
    }

    /// `data[start:end].decode("utf-8", "replace")`
    pub fn decoded(&self, start: usize, end: usize) -> Cow<'a, str> {
        match self.text.get(start..end) {
            Some(part) => Cow::Borrowed(part),
            None => String::from_utf8_lossy(self.data.get(start..end).unwrap_or_default()),
        }
    }

    /// The text of a node.
    pub fn text_of(&self, node: Node) -> Cow<'a, str> {
        self.decoded(node.start_byte(), node.end_byte())
    }

    /// Where a node's text ends: some grammars let it reach to the next token.
    pub fn last_byte(&self, node: Node) -> usize {
        let (start, end) = (node.start_byte(), node.end_byte());
        if end == 0 || !is_space_byte(self.data[end - 1]) {
            return end;
        }
        start + trimmed_end(&self.data[start..end]).len()
    }
}
