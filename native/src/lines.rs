//! Lines of a text that match an expression, in a time that grows with the text alone. Reference: `cairn.search.lines`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use regex::bytes::{Regex, RegexBuilder};

const MOST_BYTES: usize = 4 << 20;
const UNDECIDED: i64 = -1;

/// The number of a line from 0, where it begins and ends in the text, and where in it the match does.
type Found = (usize, usize, usize, i64, i64);

/// An expression over ASCII, none of whose parts matches a line break.
#[pyclass(frozen)]
pub struct LineSearch {
    expression: Regex,
    needle: Vec<u8>,
}

#[pymethods]
impl LineSearch {
    /// Lines that are no ASCII may only match where they hold the needle.
    #[new]
    fn new(expression: &str, needle: &[u8]) -> PyResult<Self> {
        let mut builder = RegexBuilder::new(expression);
        builder.unicode(false).size_limit(MOST_BYTES).dfa_size_limit(MOST_BYTES);
        let expression = builder.build().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { expression, needle: needle.to_vec() })
    }

    /// The first matching lines, with -1 for the place in those that only the reference can decide.
    fn lines(&self, py: Python<'_>, text: &[u8], most: usize) -> Vec<Found> {
        py.detach(|| {
            let plain = text.is_ascii() && !text.contains(&b'\r');
            if plain { self.in_whole(text, most) } else { self.line_by_line(text, most) }
        })
    }
}

impl LineSearch {
    /// No match reaches beyond its line, so that the text can be searched as one.
    fn in_whole(&self, text: &[u8], most: usize) -> Vec<Found> {
        let mut found = Vec::new();
        let (mut at, mut number) = (0, 0);
        while at < text.len() && found.len() < most {
            let Some(hit) = self.expression.find_at(text, at) else { break };
            let before = &text[at..hit.start()];
            let start = before.iter().rposition(|byte| *byte == b'\n').map_or(at, |place| at + place + 1);
            if start == text.len() {
                // After the last line break there is a line only if any text follows.
                break;
            }
            number += before.iter().filter(|byte| **byte == b'\n').count();
            let end = text[hit.end()..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |to| hit.end() + to);
            found.push((number, start, end, (hit.start() - start) as i64, (hit.end() - start) as i64));
            at = end + 1;
            number += 1;
        }
        found
    }

    fn line_by_line(&self, text: &[u8], most: usize) -> Vec<Found> {
        let mut found = Vec::new();
        let (mut at, mut decided) = (0, 0);
        for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let start = at;
            at += line.len() + 1;
            if start == text.len() || decided == most {
                break;
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let end = start + line.len();
            if !line.is_ascii() {
                if self.may_hold(line) {
                    found.push((number, start, end, UNDECIDED, UNDECIDED));
                }
            } else if let Some(hit) = self.expression.find(line) {
                decided += 1;
                found.push((number, start, end, hit.start() as i64, hit.end() as i64));
            }
        }
        found
    }

    fn may_hold(&self, line: &[u8]) -> bool {
        self.needle.is_empty() || line.windows(self.needle.len()).any(|part| part == self.needle)
    }
}
