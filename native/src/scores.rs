//! How often rows have the terms of a query. Reference: `cairn.kernel.scores`.

use pyo3::buffer::{Element, PyBuffer, ReadOnlyCell};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

fn slice<'a, T: Element>(py: Python<'a>, buffer: &'a PyBuffer<T>) -> PyResult<&'a [ReadOnlyCell<T>]> {
    buffer.as_slice(py).ok_or_else(|| PyValueError::new_err("an array isn't in one piece"))
}

fn numbers<const SIZE: usize>(data: &[u8]) -> impl Iterator<Item = [u8; SIZE]> + '_ {
    data.as_chunks().0.iter().copied()
}

/// The code of an entry whose counts stand by themselves.
const RARE: u8 = 255;

/// The places in which terms occur, of rows from some number on.
struct Places<'a> {
    from: u32,
    rare: &'a [ReadOnlyCell<u32>],
    rows: &'a [ReadOnlyCell<u16>],
    codes: &'a [ReadOnlyCell<u8>],
    pairs: &'a [ReadOnlyCell<u8>],
}

impl Places<'_> {
    /// Write the counts of one term, whose places lie between two numbers, into a column.
    fn fill(&self, first: usize, last: usize, spans: &[(u32, u32)], mut give: impl FnMut(usize, f64, f64)) {
        let (Some(rows), Some(codes)) = (self.rows.get(first..last), self.codes.get(first..last)) else { return };
        let number = |row: &ReadOnlyCell<u16>| self.from + u32::from(row.get());
        let mut before = 0;
        for &(start, count) in spans {
            let from = rows.partition_point(|row| number(row) < start);
            for (place, row) in rows.iter().enumerate().skip(from) {
                let at = number(row) - start;
                if at >= count {
                    break;
                }
                let (text, symbols) = self.counts(first + place, codes[place].get());
                give(before + at as usize, text, symbols);
            }
            before += count as usize;
        }
    }

    /// The counts of one entry.
    fn counts(&self, entry: usize, code: u8) -> (f64, f64) {
        let rare = || self.rare.partition_point(|place| (place.get() as usize) < entry);
        let place = usize::from(code) + if code == RARE { rare() } else { 0 };
        let said = |at: usize| self.pairs.get(at).map_or(0.0, |count| f64::from(count.get()));
        (said(2 * place), said(2 * place + 1))
    }
}

/// How often the rows of (first, count) spans hold some terms, in text and in symbols: float64, a row after a row.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn term_counts<'py>(
    py: Python<'py>,
    from: u32,
    hashes: PyBuffer<u64>,
    offsets: PyBuffer<u32>,
    rare: PyBuffer<u32>,
    rows: PyBuffer<u16>,
    codes: PyBuffer<u8>,
    pairs: PyBuffer<u8>,
    spans: &[u8],
    wanted: &[u8],
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (hashes, offsets) = (slice(py, &hashes)?, slice(py, &offsets)?);
    let (rare, rows) = (slice(py, &rare)?, slice(py, &rows)?);
    let places = Places { from, rare, rows, codes: slice(py, &codes)?, pairs: slice(py, &pairs)? };
    let spans: Vec<(u32, u32)> = numbers::<8>(spans).map(|pair| (u32_of(&pair[..4]), u32_of(&pair[4..]))).collect();
    let width = wanted.len() / 8;
    let count: usize = spans.iter().map(|span| span.1 as usize).sum();
    let mut found = (vec![0u8; count * width * 8], vec![0u8; count * width * 8]);
    for (column, hash) in numbers::<8>(wanted).map(u64::from_le_bytes).enumerate() {
        let at = hashes.partition_point(|known| known.get() < hash);
        if hashes.get(at).is_none_or(|known| known.get() != hash) || at + 1 >= offsets.len() {
            continue;
        }
        let (first, last) = (offsets[at].get() as usize, offsets[at + 1].get() as usize);
        places.fill(first, last, &spans, |row, text, symbols| {
            let place = (row * width + column) * 8;
            found.0[place..place + 8].copy_from_slice(&text.to_le_bytes());
            found.1[place..place + 8].copy_from_slice(&symbols.to_le_bytes());
        });
    }
    Ok((PyBytes::new(py, &found.0), PyBytes::new(py, &found.1)))
}

fn u32_of(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
}
