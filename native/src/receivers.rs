//! What a call is asked of: the words before its name. Reference: `cairn.syntax.receivers`.

use std::borrow::Cow;

use crate::text::trimmed_end;

const MAX_RECEIVER: usize = 120;
const SUPER: &[u8] = b"super()";

fn is_word(byte: u8) -> bool {
    byte >= 128 || byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@')
}

/// Where the run of some bytes before a place begins.
fn run_start(data: &[u8], least: usize, end: usize, belongs: impl Fn(u8) -> bool) -> usize {
    data[least..end].iter().rposition(|&byte| !belongs(byte)).map_or(least, |at| least + at + 1)
}

fn byte_before(data: &[u8], at: usize) -> Option<u8> {
    at.checked_sub(1).map(|before| data[before])
}

/// The receiver of the name at a byte: "" where there is none, "?" where it is no plain chain of names.
pub fn receiver_of(data: &[u8], at: usize) -> Cow<'_, str> {
    if byte_before(data, at) == Some(b'\\') {
        return path_before(data, at);
    }
    let mut end = before_joint(data, at);
    if end == at {
        return "".into();
    }
    let least = at.saturating_sub(MAX_RECEIVER);
    let mut words: Vec<&[u8]> = Vec::new();
    loop {
        // A joint may reach over white space to before the bound.
        let start = if end < least { least } else { run_start(data, least, end, is_word) };
        if start == end {
            let asks_super = words.is_empty() && data[least..end].ends_with(SUPER);
            return if asks_super { "super()".into() } else { "?".into() };
        }
        // What the bound cuts off must not look like the start of a chain.
        if (start == least && least > 0) || data.get(start).is_some_and(u8::is_ascii_digit) {
            return "?".into();
        }
        words.push(&data[start..end]);
        end = before_joint(data, start);
        if end == start {
            return joined(&words);
        }
    }
}

fn joined<'a>(words: &[&'a [u8]]) -> Cow<'a, str> {
    if let [word] = words {
        return String::from_utf8_lossy(word);
    }
    let mut whole = Vec::new();
    for word in words.iter().rev() {
        if !whole.is_empty() {
            whole.push(b'.');
        }
        whole.extend_from_slice(word);
    }
    Cow::Owned(String::from_utf8_lossy(&whole).into_owned())
}

/// PHP's path before a name: dotted, and without what says that it is a full one.
fn path_before(data: &[u8], at: usize) -> Cow<'_, str> {
    let least = at.saturating_sub(MAX_RECEIVER);
    let start = run_start(data, least, at, |byte| is_word(byte) || byte == b'\\');
    let mut path = &data[start..at];
    while let [b'\\', rest @ ..] | [rest @ .., b'\\'] = path {
        path = rest;
    }
    if path.is_empty() {
        return "\\".into();
    }
    let found = String::from_utf8_lossy(path);
    if found.contains('\\') { Cow::Owned(found.replace('\\', ".")) } else { found }
}

/// Where a dot, an arrow or a double colon before a place begins; the place itself where there is none.
fn before_joint(data: &[u8], at: usize) -> usize {
    let Some(sign) = byte_before(data, at) else { return at };
    match sign {
        b' ' | b'\t' | b'\n' | b'\r' => {
            // A chain may go on in the next line; PHP's dots between texts have white space before them.
            let least = at.saturating_sub(MAX_RECEIVER);
            let end = least + trimmed_end(&data[least..at]).len();
            let chained = byte_before(data, end) == Some(b'.')
                && end >= 2
                && !matches!(data[end - 2], b' ' | b'\t' | b'\n' | b'\r' | b'.');
            if chained { before_joint(data, end) } else { at }
        }
        b'.' => match byte_before(data, at - 1) {
            Some(b'.') => at, // what is spread, or the end of a range
            Some(b'?' | b'!') => at - 2,
            _ => at - 1,
        },
        b'>' if data[..at].ends_with(b"->") => at - 2,
        b':' if data[..at].ends_with(b"::") => at - 2,
        _ => at,
    }
}
