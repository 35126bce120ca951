//! The shape of a syntax tree as bytes. Reference: `cairn.syntax.treeblocks`.
//!
//! No function here calls itself: a tree may be as deep as a file is long.

use tree_sitter::{Node, Tree};

use crate::hashing::HashMap;

const MANY: u32 = 255;

/// The block that `cairn.syntax.treeblocks` tells of.
pub fn tree_block(tree: &Tree, data: &[u8]) -> Vec<u8> {
    let mut made = Made::default();
    let mut open: Vec<usize> = Vec::new();
    let mut cursor = tree.walk();
    let mut at = 0;
    loop {
        let node = cursor.node();
        let number = made.shapes.len();
        made.enter(node, cursor.field_id().map_or(0, |id| id.get()), cursor.field_name().unwrap_or(""));
        made.gaps.push(gap(data, at, node.start_byte()));
        if let Some(&above) = open.last() {
            made.counts[above] += 1;
        }
        if cursor.goto_first_child() {
            open.push(number);
            at = node.start_byte();
            continue;
        }
        made.tails[number] = leaf(data, node);
        at = node.end_byte();
        while !cursor.goto_next_sibling() {
            let (true, Some(number)) = (cursor.goto_parent(), open.pop()) else { return made.joined() };
            let end = cursor.node().end_byte();
            made.tails[number] = tail(data, at, end);
            at = end;
        }
    }
}

#[derive(Default)]
struct Made {
    names: String,
    /// Numbers by kind, field and the rest of a shape; several kinds may have one name.
    known: HashMap<(u16, u16, u8), u32>,
    numbers: HashMap<String, u32>,
    shapes: Vec<u32>,
    counts: Vec<u32>,
    gaps: Vec<u32>,
    tails: Vec<u32>,
}

impl Made {
    fn enter(&mut self, node: Node, field_id: u16, field: &str) {
        let broken = node.is_missing() || (self.shapes.is_empty() && node.has_error());
        let bits = u8::from(node.is_named()) | u8::from(broken) << 1 | u8::from(node.is_extra()) << 2;
        let key = (node.kind_id(), field_id, bits);
        let number = match self.known.get(&key) {
            Some(&number) => number,
            None => {
                let number = self.numbered(node.kind(), field, bits);
                self.known.insert(key, number);
                number
            }
        };
        self.shapes.push(number);
        self.counts.push(0);
        self.tails.push(0);
    }

    fn numbered(&mut self, kind: &str, field: &str, bits: u8) -> u32 {
        let name = format!("{bits}{kind}\x1f{field}");
        let next = self.numbers.len() as u32;
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        if next > 0 {
            self.names.push('\0');
        }
        self.names.push_str(&name);
        self.numbers.insert(name, next);
        next
    }

    fn joined(self) -> Vec<u8> {
        let columns = [self.shapes, self.counts, self.gaps, self.tails];
        let mut large: Vec<u32> = Vec::new();
        let mut small: Vec<u8> = Vec::with_capacity(4 * columns[0].len());
        for column in &columns {
            for &value in column {
                small.push(value.min(MANY) as u8);
                if value >= MANY {
                    large.push(value);
                }
            }
        }
        let mut block = Vec::with_capacity(12 + self.names.len() + small.len() + 4 * large.len());
        block.extend_from_slice(&(self.names.len() as u32).to_le_bytes());
        block.extend_from_slice(self.names.as_bytes());
        block.extend_from_slice(&(columns[0].len() as u32).to_le_bytes());
        block.extend_from_slice(&small);
        for value in large {
            block.extend_from_slice(&value.to_le_bytes());
        }
        block
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// How many characters of a stretch are no white space, and where the last of them ends.
fn counted(data: &[u8], from: usize, to: usize) -> (usize, usize) {
    let mut count = 0;
    let mut last = from;
    for (at, &byte) in data.iter().enumerate().take(to).skip(from) {
        if !is_space(byte) {
            count += 1;
            last = at + 1;
        }
    }
    (count, last)
}

fn gap(data: &[u8], from: usize, to: usize) -> u32 {
    let (count, last) = counted(data, from, to);
    let start = data[last..].iter().position(|&byte| !is_space(byte)).map_or(data.len(), |found| last + found);
    if start == to { 2 * count as u32 } else { 2 * (to - from) as u32 + 1 }
}

fn tail(data: &[u8], from: usize, to: usize) -> u32 {
    let (count, last) = counted(data, from, to);
    if last == to { 2 * count as u32 } else { 2 * (to - from) as u32 + 1 }
}

fn leaf(data: &[u8], node: Node) -> u32 {
    let (start, end) = (node.start_byte(), node.end_byte());
    let size = if node.is_named() {
        data[start..].iter().position(|&byte| !is_word(byte)).unwrap_or(data.len() - start)
    } else {
        node.kind().len()
    };
    if start + size == end {
        return 0;
    }
    let line = data[start..].iter().position(|&byte| byte == b'\n').unwrap_or(data.len() - start);
    if start + line == end { 1 } else { 2 + (end - start) as u32 }
}
