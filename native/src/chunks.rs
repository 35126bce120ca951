//! Cutting a parsed file along its definitions. Reference: `cairn.syntax.chunks` and `cairn.syntax.lines`.

use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use crate::extract::{Span, Symbol};
use crate::hashing::HashMap;
use crate::source::Source;
use crate::text::{is_blank, is_space};

const TINY_SHARE: usize = 3;
const CRUMB_SHARE: usize = 10;
const MAX_DEPTH: usize = 40;

/// First and last line, both included, counted from 0.
type Range = (usize, usize);

/// A piece of a file; lines and bytes describe the same range.
pub struct Chunk {
    pub start_line: usize,
    pub end_line: usize,
    pub start: usize,
    pub end: usize,
    /// The symbols that are defined in it, or around it.
    pub symbols: Vec<usize>,
}

/// A definition's lines with the definitions inside it.
struct Part {
    first: usize,
    last: usize,
    /// Their numbers: nesting may be deeper than a stack.
    parts: Vec<usize>,
    /// The line of the definition's name: the first piece reaches beyond it, whatever comments stand above.
    head: Option<usize>,
}

struct Cutter<'a> {
    data: &'a [u8],
    root: Node<'a>,
    limit: usize,
    starts: &'a [usize],
}

/// The chunks of a parsed file; when they would be too many, larger ones are made.
pub fn chunk_tree(
    source: &Source,
    tree: &Tree,
    spans: &[Span],
    symbols: &[Symbol],
    limit: usize,
    max_chunks: usize,
) -> Vec<Chunk> {
    let mut starts = source.lines.clone();
    if starts.last().is_some_and(|&last| last < source.data.len()) {
        starts.push(source.data.len());
    }
    if starts.len() < 2 {
        return Vec::new();
    }
    let mut size = limit;
    loop {
        let cutter = Cutter { data: source.data, root: tree.root_node(), limit: size, starts: &starts };
        let chunks = chunks(&cutter, source.text, spans, symbols);
        if chunks.len() <= max_chunks {
            return chunks;
        }
        size *= 2;
    }
}

/// Whole lines up to a size each; a longer line is cut between characters, and when chunks would be too many, larger
/// ones are made.
pub fn chunk_lines(text: &str, limit: usize, max_chunks: usize) -> Vec<Chunk> {
    let data = text.as_bytes();
    let mut ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    if data.last().is_some_and(|&last| last != b'\n') {
        ends.push(data.len());
    }
    let mut size = limit;
    loop {
        let chunks = lines(data, &ends, size);
        if chunks.len() <= max_chunks {
            return chunks;
        }
        size *= 2;
    }
}

fn lines(data: &[u8], ends: &[usize], size: usize) -> Vec<Chunk> {
    let mut found = Vec::new();
    let (mut start, mut line) = (0, 0);
    while line < ends.len() {
        let following = line + ends[line..].partition_point(|&end| end <= start + size);
        let mut give = |start, end, first, last| {
            found.push(Chunk { start_line: first, end_line: last, start, end, symbols: Vec::new() });
        };
        if following > line {
            give(start, ends[following - 1], line + 1, following);
            (start, line) = (ends[following - 1], following);
        } else {
            for (left, right) in pieces(&data[start..ends[line]], size) {
                give(start + left, start + right, line + 1, line + 1);
            }
            (start, line) = (ends[line], line + 1);
        }
    }
    found
}

fn chunks(cutter: &Cutter, text: &str, spans: &[Span], symbols: &[Symbol]) -> Vec<Chunk> {
    let places: Vec<Range> = spans
        .iter()
        .map(|span| (cutter.line_of(span.start), cutter.line_of(span.end.saturating_sub(1).max(span.start))))
        .collect();
    let mut heads: HashMap<Range, usize> = HashMap::default();
    let mut around: Vec<(Range, usize)> = Vec::new();
    for (place, span) in places.iter().zip(spans) {
        if let Some(number) = span.symbol {
            let symbol = &symbols[number];
            heads.entry(*place).or_insert(symbol.name_line - 1);
            // The members of a type have names of their own; the pieces of these are named after them.
            if matches!(symbol.kind, "function" | "method" | "constructor" | "macro" | "heading") {
                around.push((*place, number));
            }
        }
    }
    let mut parts = nested(cutter.starts.len() - 2, places);
    for part in &mut parts {
        part.head = heads.get(&(part.first, part.last)).copied();
    }
    around.sort_by_key(|&((first, last), _)| (first, usize::MAX - last));
    let mut named: Vec<usize> = (0..symbols.len()).collect();
    named.sort_by(|&one, &other| {
        let key = |number: usize| (symbols[number].name_line, symbols[number].qualified.as_str());
        key(one).cmp(&key(other))
    });
    let mut found = Vec::new();
    for piece in cutter.cut(&parts, 0, 0) {
        let Some((first, last)) = cutter.trimmed(piece) else { continue };
        let left = named.partition_point(|&number| symbols[number].name_line < first + 1);
        let right = named.partition_point(|&number| symbols[number].name_line <= last + 1);
        let mut inside: Vec<usize> = named.get(left..right).unwrap_or_default().to_vec();
        if let Some(holder) = innermost(&around, first, last)
            && !symbols[holder].qualified.is_empty()
            && !inside.iter().any(|&number| symbols[number].qualified == symbols[holder].qualified)
        {
            inside.insert(0, holder);
        }
        let (start, end) = (cutter.starts[first], cutter.starts[last + 1]);
        if first == last && end - start > cutter.limit {
            for (left, right) in pieces(&text.as_bytes()[start..end], cutter.limit) {
                let (start, end) = (start + left, start + right);
                if !text.get(start..end).is_some_and(|part| part.chars().all(is_space)) {
                    let symbols = inside.clone();
                    found.push(Chunk { start_line: first + 1, end_line: first + 1, start, end, symbols });
                }
            }
        } else {
            found.push(Chunk { start_line: first + 1, end_line: last + 1, start, end, symbols: inside });
        }
    }
    found
}

/// Ranges of at most `size` bytes that split no UTF-8 character.
fn pieces(line: &[u8], size: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut left = 0;
    while left < line.len() {
        let mut right = line.len().min(left + size);
        while right < line.len() && right > left + 1 && line[right] & 0xC0 == 0x80 {
            right -= 1;
        }
        found.push((left, right));
        left = right;
    }
    found
}

/// The definition whose body some lines are a part of.
fn innermost(around: &[(Range, usize)], first: usize, last: usize) -> Option<usize> {
    let begun = around.iter().take_while(|((start, _), _)| *start <= first);
    begun.filter(|((_, end), _)| *end >= last).last().map(|&(_, number)| number)
}

/// A tree of line ranges, the whole first; what overlaps without nesting shares lines and becomes one.
fn nested(last_line: usize, mut ranges: Vec<Range>) -> Vec<Part> {
    ranges.sort_unstable_by_key(|&(first, last)| (first, usize::MAX - last));
    ranges.dedup();
    let mut parts = vec![Part { first: 0, last: last_line, parts: Vec::new(), head: None }];
    let mut stack: Vec<usize> = Vec::new();
    for (first, last) in ranges {
        while stack.last().is_some_and(|&part| parts[part].last < first) {
            stack.pop();
        }
        if stack.last().is_some_and(|&part| parts[part].last < last) {
            for &around in &stack {
                parts[around].last = parts[around].last.max(last);
            }
            continue;
        }
        let number = parts.len();
        parts[stack.last().copied().unwrap_or(0)].parts.push(number);
        parts.push(Part { first, last, parts: Vec::new(), head: None });
        stack.push(number);
    }
    parts
}

impl Cutter<'_> {
    fn line_of(&self, byte: usize) -> usize {
        let line = self.starts.partition_point(|&start| start <= byte) - 1;
        line.min(self.starts.len() - 2)
    }

    fn size(&self, first: usize, last: usize) -> usize {
        self.starts[last + 1] - self.starts[first]
    }

    fn is_blank(&self, line: usize) -> bool {
        is_blank(&self.data[self.starts[line]..self.starts[line + 1]])
    }

    fn trimmed(&self, (mut first, mut last): Range) -> Option<Range> {
        while first <= last && self.is_blank(first) {
            first += 1;
        }
        while last > first && self.is_blank(last) {
            last -= 1;
        }
        (first <= last).then_some((first, last))
    }

    fn cut(&self, all: &[Part], number: usize, depth: usize) -> Vec<Range> {
        let part = &all[number];
        if part.last < part.first {
            return Vec::new();
        }
        // A definition without inner ones may be somewhat larger: better than cutting its doc comment from it.
        let room = if depth > 0 && part.parts.is_empty() { self.limit * 3 / 2 } else { self.limit };
        if self.size(part.first, part.last) <= room {
            return vec![(part.first, part.last)];
        }
        if part.parts.is_empty() || depth >= MAX_DEPTH {
            return self.statements((part.first, part.last), part.head);
        }
        let mut pieces = Vec::new();
        let mut at = part.first;
        for &inner in &part.parts {
            let Part { first, last, .. } = all[inner];
            if first > at {
                self.gap((at, first - 1), &mut pieces);
            }
            pieces.extend(self.cut(all, inner, depth + 1));
            at = last + 1;
        }
        if at <= part.last {
            self.gap((at, part.last), &mut pieces);
        }
        self.together(&pieces)
    }

    fn gap(&self, lines: Range, pieces: &mut Vec<Range>) {
        if self.size(lines.0, lines.1) <= self.limit {
            pieces.push(lines);
        } else {
            pieces.extend(self.statements(lines, None));
        }
    }

    fn together(&self, pieces: &[Range]) -> Vec<Range> {
        let tiny = self.limit / TINY_SHARE;
        let mut merged: Vec<Range> = Vec::with_capacity(pieces.len());
        for &(first, last) in pieces {
            if let Some(before) = merged.last_mut()
                && self.size(before.0, last) <= self.limit
                && self.size(before.0, before.1).min(self.size(first, last)) < tiny
            {
                before.1 = last;
                continue;
            }
            merged.push((first, last));
        }
        merged
    }

    /// Pack statements up to the limit; a statement that is longer is packed line by line.
    fn statements(&self, lines: Range, head: Option<usize>) -> Vec<Range> {
        let (first, last) = lines;
        let mut rows = self.statement_rows(lines, head);
        if let Some(head) = head {
            rows = rows.split_off(&(head + 1));
        }
        rows.insert(first);
        let mut packed: Vec<Range> = Vec::new();
        let mut following = rows.iter().skip(1).copied();
        for &row in &rows {
            let end = following.next().unwrap_or(last + 1) - 1;
            if let Some(before) = packed.last_mut()
                && self.size(before.0, end) <= self.limit
            {
                before.1 = end;
            } else if self.size(row, end) <= self.limit {
                packed.push((row, end));
            } else {
                self.lines((row, end), &mut packed);
            }
        }
        if let [.., before, crumb] = packed[..]
            && self.size(crumb.0, crumb.1) < self.limit / CRUMB_SHARE
            && self.size(before.0, before.1) <= self.limit
        {
            // A closing bracket or two is no chunk of its own.
            packed.truncate(packed.len() - 2);
            packed.push((before.0, crumb.1));
        }
        packed
    }

    fn lines(&self, (first, last): Range, packed: &mut Vec<Range>) {
        let mut at = first;
        for line in first..=last {
            if line > at && self.size(at, line) > self.limit {
                packed.push((at, line - 1));
                at = line;
            }
        }
        packed.push((at, last));
    }

    fn statement_rows(&self, lines: Range, head: Option<usize>) -> BTreeSet<usize> {
        let (left, right) = (self.starts[lines.0], self.starts[lines.1 + 1]);
        let mut rows = BTreeSet::new();
        let Some(node) = self.root.descendant_for_byte_range(left, left.max(right - 1)) else { return rows };
        let mut cursor = node.walk();
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            for child in node.children(&mut cursor) {
                let (start, end) = (child.start_byte(), child.end_byte());
                if end <= left || start >= right {
                    continue;
                }
                let row = child.start_position().row;
                // A statement that shares its line with code before it can't start a piece.
                if lines.0 < row && row <= lines.1 && is_blank(&self.data[self.starts[row]..start]) {
                    rows.insert(row);
                }
                let holds_head =
                    head.is_some_and(|head| lines.0 < head && row <= head && head < child.end_position().row);
                if holds_head || end - start > self.limit {
                    waiting.push(child);
                }
            }
        }
        rows
    }
}
