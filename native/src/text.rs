//! Python's functions over text, for the characters where another language's differ.

/// Names are cut to so many characters.
pub const MAX_NAME: usize = 200;

/// What only Python's own tables can tell: the reference answers for the whole file.
pub struct Unsure;

/// `str.isspace` of one character.
pub fn is_space(character: char) -> bool {
    matches!(character,
        '\t'..='\r' | '\x1c'..='\x1f' | ' ' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
        | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// `bytes.isspace` of one byte.
pub fn is_space_byte(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// `bytes.rstrip`.
pub fn trimmed_end(mut data: &[u8]) -> &[u8] {
    while let [rest @ .., last] = data
        && is_space_byte(*last)
    {
        data = rest;
    }
    data
}

/// Whether `bytes.strip` leaves nothing.
pub fn is_blank(data: &[u8]) -> bool {
    data.iter().all(|&byte| is_space_byte(byte))
}

/// `text[:count]`.
pub fn prefix(text: &str, count: usize) -> &str {
    if text.len() <= count {
        return text;
    }
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// `str.split` without a separator.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// Words with one space between them.
pub fn spaced(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for word in words(text) {
        if !found.is_empty() {
            found.push(' ');
        }
        found.push_str(word);
    }
    found
}

/// `str.splitlines`: a carriage return with a newline behind it is one end.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some((at, sign)) = rest.char_indices().find(|&(_, character)| ends_line(character)) else {
            return Some(std::mem::take(&mut rest));
        };
        let line = &rest[..at];
        rest = &rest[at + sign.len_utf8()..];
        if sign == '\r' {
            rest = rest.strip_prefix('\n').unwrap_or(rest);
        }
        Some(line)
    })
}

fn ends_line(character: char) -> bool {
    matches!(character, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The place of a byte's next coming, before an end.
pub fn find_byte(data: &[u8], byte: u8, start: usize, end: usize) -> Option<usize> {
    data.get(start..end)?.iter().position(|&each| each == byte).map(|at| start + at)
}

/// Where the line begins that a byte stands in.
pub fn line_start(data: &[u8], at: usize) -> usize {
    data[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1)
}
