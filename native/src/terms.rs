//! The terms by which rows are found, counted. Reference: `cairn.kernel.terms`.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::characters::Characters;
use crate::runs::RunMap;
use crate::words::{each_run, tokens_of_ascii_run, tokens_of_run};

/// Longer runs are encoded data that seldom comes twice.
const REMEMBERED_BYTES: usize = 80;

#[derive(Default)]
struct Learnt {
    /// Of each run: where its terms begin and end in `flat`.
    spans: RunMap<(u32, u32)>,
    flat: Vec<u32>,
    numbers: RunMap<u32>,
    names: Vec<Box<str>>,
    hashes: Vec<[u8; 8]>,
    /// Of each term: the last row that held it, and its place among that row's terms.
    seen: Vec<(u64, u32)>,
    row: u64,
}

struct Counted {
    body: String,
    hashes: Vec<u8>,
    text: Vec<u8>,
    symbols: Vec<u8>,
    length: usize,
}

impl Learnt {
    fn term(&mut self, term: &str) -> u32 {
        if let Some(&number) = self.numbers.get(term) {
            return number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(term, number);
        self.names.push(term.into());
        let hash = blake2b_simd::Params::new().hash_length(8).hash(term.as_bytes());
        self.hashes.push(hash.as_bytes().try_into().expect("eight bytes were asked for"));
        self.seen.push((0, 0));
        number
    }

    fn learn(&mut self, run: &str, characters: &Characters) -> (u32, u32) {
        let start = self.flat.len() as u32;
        let give = |token: &str| {
            let number = self.term(token);
            self.flat.push(number);
        };
        if run.is_ascii() {
            tokens_of_ascii_run(run, give);
        } else {
            tokens_of_run(run, characters, give);
        }
        self.remember(run, start)
    }

    fn remember(&mut self, run: &str, start: u32) -> (u32, u32) {
        let span = (start, self.flat.len() as u32);
        self.spans.insert(run, span);
        span
    }

    fn count_one(&mut self, term: u32, is_text: bool, found: &mut Counted) {
        let seen = &mut self.seen[term as usize];
        if seen.0 != self.row {
            *seen = (self.row, found.text.len() as u32);
            if !found.text.is_empty() {
                found.body.push(' ');
            }
            found.body.push_str(&self.names[term as usize]);
            found.hashes.extend_from_slice(&self.hashes[term as usize]);
            found.text.push(0);
            found.symbols.push(0);
        }
        let counts = if is_text { &mut found.text } else { &mut found.symbols };
        let count = &mut counts[seen.1 as usize];
        *count = count.saturating_add(1);
    }

    fn count(&mut self, text: &str, symbols: &str, characters: &Characters) -> Counted {
        self.row += 1;
        let mut found =
            Counted { body: String::new(), hashes: Vec::new(), text: Vec::new(), symbols: Vec::new(), length: 0 };
        for (part, is_text) in [(text, true), (symbols, false)] {
            each_run(part, |run| {
                let before = self.flat.len();
                let known = self.spans.get(run).copied();
                let (start, end) = known.unwrap_or_else(|| self.learn(run, characters));
                for place in start..end {
                    self.count_one(self.flat[place as usize], is_text, &mut found);
                }
                found.length += if is_text { (end - start) as usize } else { 0 };
                if known.is_none() && run.len() > REMEMBERED_BYTES {
                    self.spans.remove(run);
                    self.flat.truncate(before);
                }
            });
        }
        found
    }
}

/// The terms of every run that was met.
#[pyclass]
pub struct TermTable {
    learnt: Learnt,
    characters: Characters,
    tokens_of_run: Py<PyAny>,
    most: usize,
}

#[pymethods]
impl TermTable {
    /// `most`: how many runs, terms, or terms of runs are remembered before all of them are forgotten.
    ///
    /// `described` says what a character beyond ASCII is; the reference, `tokens_of_run`, takes apart what that isn't
    /// enough for.
    #[new]
    fn new(described: Py<PyAny>, tokens_of_run: Py<PyAny>, most: usize) -> Self {
        Self { learnt: Learnt::default(), characters: Characters::new(described), tokens_of_run, most }
    }

    /// Of each row: its terms in the order of their first coming, their hashes, how often each comes in the text
    /// and in the symbols, and how many tokens the text has.
    fn count<'py>(
        &mut self,
        py: Python<'py>,
        texts: Vec<Bound<'py, PyString>>,
        symbols: Vec<Bound<'py, PyString>>,
    ) -> PyResult<Vec<Row<'py>>> {
        let texts = texts.iter().map(|text| text.to_str()).collect::<PyResult<Vec<_>>>()?;
        let symbols = symbols.iter().map(|text| text.to_str()).collect::<PyResult<Vec<_>>>()?;
        let Self { learnt, characters, .. } = self;
        let met = learnt.spans.len().max(learnt.names.len()).max(learnt.flat.len() / 4);
        if met >= self.most {
            *learnt = Learnt::default();
        }
        for run in characters.learn(py, texts.iter().chain(&symbols).copied())? {
            if learnt.spans.get(run).is_some() {
                continue;
            }
            let tokens: Vec<String> = self.tokens_of_run.call1(py, (run,))?.extract(py)?;
            let start = learnt.flat.len() as u32;
            for token in tokens {
                let number = learnt.term(&token);
                learnt.flat.push(number);
            }
            learnt.remember(run, start);
        }
        let counted: Vec<Counted> = py
            .detach(|| texts.iter().zip(&symbols).map(|(text, names)| learnt.count(text, names, characters)).collect());
        let rows = counted.into_iter().map(|row| {
            let bytes = |part: &[u8]| PyBytes::new(py, part);
            (row.body, bytes(&row.hashes), bytes(&row.text), bytes(&row.symbols), row.length)
        });
        Ok(rows.collect())
    }
}

type Row<'py> = (String, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize);
