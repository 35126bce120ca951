//! Vectors of a static model: word pieces, their rows added and normalised. Reference: `cairn.kernel.wordpiece`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::characters::Characters;
use crate::runs::RunMap;
use crate::words::each_run;

/// Only the start of a longer text counts.
const MAX_CHARS: usize = 20_000;
/// A longer word has no pieces.
const MAX_WORD_CHARS: usize = 40;
const REMEMBERED_BYTES: usize = 80;
const MAX_REMEMBERED: usize = 300_000;

/// A vocabulary with a row of a table for each of its pieces.
#[pyclass]
pub struct PieceSums {
    begins: RunMap<u32>,
    continues: RunMap<u32>,
    skipped: Vec<bool>,
    table: Vec<i8>,
    scale: Vec<f32>,
    dimension: usize,
    /// Of each run: where its pieces begin and end in `flat`.
    of_run: RunMap<(u32, u32)>,
    flat: Vec<u32>,
    characters: Characters,
    words_of_run: Py<PyAny>,
}

impl PieceSums {
    /// The longest known piece, again and again; none at all when a rest is unknown.
    fn find(&self, word: &str, into: &mut Vec<u32>) {
        let start = into.len();
        let mut rest = word;
        let mut known = &self.begins;
        while !rest.is_empty() {
            let ends = (1..=rest.len()).rev().filter(|&end| rest.is_char_boundary(end));
            match ends.into_iter().find_map(|end| known.get(&rest[..end]).map(|&piece| (end, piece))) {
                Some((end, piece)) => {
                    if !self.skipped[piece as usize] {
                        into.push(piece);
                    }
                    rest = &rest[end..];
                    known = &self.continues;
                }
                None => return into.truncate(start),
            }
        }
    }

    fn pieces_of_run(&self, run: &str) -> Vec<u32> {
        let mut found = Vec::new();
        let mut word = String::new();
        let mut before = '_';
        let mut rest = run.chars();
        while let Some(character) = rest.next() {
            let changes = character.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase()
                        && rest.as_str().starts_with(|next: char| next.is_ascii_lowercase())));
            if changes || character == '_' {
                self.add_word(&mut word, &mut found);
            }
            if !character.is_ascii() {
                for (is_of_word, lower) in &self.characters.of(character).plain {
                    if *is_of_word {
                        word.push_str(lower);
                    } else {
                        self.add_word(&mut word, &mut found);
                    }
                }
            } else if character != '_' {
                word.push(character.to_ascii_lowercase());
            }
            before = character;
        }
        self.add_word(&mut word, &mut found);
        found
    }

    fn add_word(&self, word: &mut String, into: &mut Vec<u32>) {
        if word.len() <= MAX_WORD_CHARS || word.chars().count() <= MAX_WORD_CHARS {
            self.find(word, into);
        }
        word.clear();
    }

    fn learn(&mut self, run: &str, pieces: &[u32]) {
        let start = self.flat.len() as u32;
        self.flat.extend_from_slice(pieces);
        self.of_run.insert(run, (start, self.flat.len() as u32));
    }

    fn add(&self, pieces: &[u32], sum: &mut [f32]) {
        for &piece in pieces {
            let row = &self.table[piece as usize * self.dimension..][..self.dimension];
            let scale = self.scale[piece as usize];
            for (total, &value) in sum.iter_mut().zip(row) {
                *total += f32::from(value) * scale; // exact: eight bits by eleven
            }
        }
    }

    fn embed_one(&mut self, text: &str, sum: &mut [f32]) {
        // The one number that any other can be added to without a change: a row's minus zero stays.
        sum.fill(-0.0);
        let mut count = 0;
        each_run(text, |run| {
            if let Some(&(start, end)) = self.of_run.get(run) {
                count += (end - start) as usize;
                return self.add(&self.flat[start as usize..end as usize], sum);
            }
            let pieces = self.pieces_of_run(run);
            count += pieces.len();
            self.add(&pieces, sum);
            if run.len() <= REMEMBERED_BYTES {
                self.learn(run, &pieces);
            }
        });
        if count == 0 {
            return sum.fill(0.0);
        }
        let squares: Vec<f32> = sum.iter().map(|value| value * value).collect();
        let norm = pairwise_sum(&squares).sqrt();
        if norm > 0.0 {
            sum.iter_mut().for_each(|value| *value /= norm);
        }
    }
}

/// The order in which numpy adds up a row.
fn pairwise_sum(values: &[f32]) -> f32 {
    let count = values.len();
    if count < 8 {
        // numpy starts from minus zero, which is lost in any sum of squares.
        return values.iter().fold(0.0, |sum, value| sum + value);
    }
    if count > 128 {
        let half = count / 2 - (count / 2) % 8;
        return pairwise_sum(&values[..half]) + pairwise_sum(&values[half..]);
    }
    let mut sums: [f32; 8] = values[..8].try_into().expect("eight values");
    let whole = count - count % 8;
    for part in values[8..whole].chunks_exact(8) {
        for (sum, value) in sums.iter_mut().zip(part) {
            *sum += value;
        }
    }
    let total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    values[whole..].iter().fold(total, |sum, value| sum + value)
}

fn start_of(text: &str) -> &str {
    if text.len() <= MAX_CHARS {
        return text;
    }
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

#[pymethods]
impl PieceSums {
    /// A row of `table`, int8, and a number of `scale` for each word of the vocabulary.
    ///
    /// `described` says what a character beyond ASCII is; the reference, `words_of_run`, takes apart what that isn't
    /// enough for.
    #[new]
    fn new(
        words: Vec<String>,
        skipped: Vec<u32>,
        table: &[u8],
        scale: Vec<f32>,
        described: Py<PyAny>,
        words_of_run: Py<PyAny>,
    ) -> PyResult<Self> {
        if words.is_empty() || scale.len() != words.len() || !table.len().is_multiple_of(words.len()) {
            return Err(PyValueError::new_err("the table has no row for each word"));
        }
        let dimension = table.len() / words.len();
        let table = table.iter().map(|&byte| byte as i8).collect();
        let mut marks = vec![false; words.len()];
        for piece in skipped {
            *marks.get_mut(piece as usize).ok_or_else(|| PyValueError::new_err("no such word"))? = true;
        }
        let (mut begins, mut continues) = (RunMap::default(), RunMap::default());
        for (number, word) in words.into_iter().enumerate() {
            if let Some(rest) = word.strip_prefix("##")
                && !rest.is_empty()
            {
                continues.insert(rest, number as u32);
            }
            begins.insert(&word, number as u32);
        }
        let (of_run, flat) = (RunMap::default(), Vec::new());
        let characters = Characters::new(described);
        Ok(Self { begins, continues, skipped: marks, table, scale, dimension, of_run, flat, characters, words_of_run })
    }

    /// The vectors of some texts, float32 row by row.
    fn embed<'py>(&mut self, py: Python<'py>, texts: Vec<Bound<'py, PyString>>) -> PyResult<Bound<'py, PyBytes>> {
        if self.of_run.len() >= MAX_REMEMBERED {
            (self.of_run, self.flat) = (RunMap::default(), Vec::new());
        }
        let texts = texts.iter().map(|text| text.to_str().map(start_of)).collect::<PyResult<Vec<_>>>()?;
        for run in self.characters.learn(py, texts.iter().copied())? {
            if self.of_run.get(run).is_some() {
                continue;
            }
            let words: Vec<String> = self.words_of_run.call1(py, (run,))?.extract(py)?;
            let mut found = Vec::new();
            for mut word in words {
                self.add_word(&mut word, &mut found);
            }
            self.learn(run, &found);
        }
        let dimension = self.dimension;
        let vectors = py.detach(|| {
            let mut vectors = vec![0f32; texts.len() * dimension];
            for (text, sum) in texts.iter().zip(vectors.chunks_exact_mut(dimension)) {
                self.embed_one(text, sum);
            }
            vectors.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>()
        });
        Ok(PyBytes::new(py, &vectors))
    }
}
