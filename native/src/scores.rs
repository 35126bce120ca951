//! What rows have of a query: how often its terms, and how near they are to its vector. Reference: `cairn.kernel.scores`.

use pyo3::buffer::{Element, PyBuffer, ReadOnlyCell};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::halves::{RISE, fallen};

/// The sizes at which numpy changes the way in which it adds.
const LANES: usize = 8;
const BLOCK: usize = 128;

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

/// As numpy adds numbers that lie one behind the other.
fn sum(values: &[f64]) -> f64 {
    if values.len() < LANES {
        return values.iter().sum();
    }
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (left, right) = values.split_at(half - half % LANES);
        return sum(left) + sum(right);
    }
    block_sum(values)
}

/// The same of no more than a block, and no fewer than the lanes.
#[inline(always)]
fn block_sum(values: &[f64]) -> f64 {
    let (lanes, rest) = values.as_chunks::<LANES>();
    let mut sums = lanes[0];
    for lane in &lanes[1..] {
        for at in 0..LANES {
            sums[at] += lane[at];
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, value| sum + value)
}

/// The product of some rows with a query: multiplied in float32 and added in float64.
fn products(rows: impl Iterator<Item = impl Iterator<Item = f32>>, query: &[f32]) -> Vec<[u8; 8]> {
    let mut products = vec![0f64; query.len()];
    rows.map(|row| {
        for ((product, value), other) in products.iter_mut().zip(row).zip(query) {
            *product = f64::from(value * other);
        }
        sum(&products).to_le_bytes()
    })
    .collect()
}

/// The same of rows of halves, by loops alone: see `halves::products`.
#[inline(always)]
fn half_products(
    rows: &[ReadOnlyCell<u16>],
    numbers: &[ReadOnlyCell<i64>],
    query: &[f32],
    products: &mut [f64],
    found: &mut [f64],
) {
    for (number, product) in numbers.iter().zip(found) {
        let start = number.get() as usize * query.len();
        let row = &rows[start..start + query.len()];
        for at in 0..query.len() {
            products[at] = f64::from(fallen(row[at].get()) * RISE * query[at]);
        }
        let fits = (LANES..=BLOCK).contains(&query.len());
        *product = if fits { block_sum(products) } else { sum(products) };
    }
}

/// The same by wide registers. Nothing is fused: that would change the last bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide_half_products(
    rows: &[ReadOnlyCell<u16>],
    numbers: &[ReadOnlyCell<i64>],
    query: &[f32],
    products: &mut [f64],
    found: &mut [f64],
) {
    half_products(rows, numbers, query, products, found);
}

#[allow(unsafe_code)]
fn fastest_half_products(rows: &[ReadOnlyCell<u16>], numbers: &[ReadOnlyCell<i64>], query: &[f32]) -> Vec<f64> {
    let (mut products, mut found) = (vec![0f64; query.len()], vec![0f64; numbers.len()]);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // Safe: the processor has just been asked whether it has them.
        unsafe { wide_half_products(rows, numbers, query, &mut products, &mut found) };
        return found;
    }
    half_products(rows, numbers, query, &mut products, &mut found);
    found
}

fn fitting(length: usize, query: &[f32]) -> PyResult<()> {
    match query.is_empty() || !length.is_multiple_of(query.len()) {
        true => Err(PyValueError::new_err("rows aren't as long as the query")),
        false => Ok(()),
    }
}

/// The product of each row, one behind the other, with a query.
#[pyfunction]
pub fn row_products<'py>(py: Python<'py>, rows: PyBuffer<f32>, query: PyBuffer<f32>) -> PyResult<Bound<'py, PyBytes>> {
    let (rows, query) = (slice(py, &rows)?, query.to_vec(py)?);
    fitting(rows.len(), &query)?;
    let each = rows.chunks_exact(query.len()).map(|row| row.iter().map(ReadOnlyCell::get));
    Ok(PyBytes::new(py, products(each, &query).as_flattened()))
}

/// The same of some rows of finite halves, by their numbers.
#[pyfunction]
pub fn half_row_products<'py>(
    py: Python<'py>,
    rows: PyBuffer<u16>,
    numbers: PyBuffer<i64>,
    query: PyBuffer<f32>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (rows, query) = (slice(py, &rows)?, query.to_vec(py)?);
    fitting(rows.len(), &query)?;
    let numbers = slice(py, &numbers)?;
    let place = |number: &ReadOnlyCell<i64>| usize::try_from(number.get()).unwrap_or(usize::MAX);
    if numbers.iter().any(|number| place(number) >= rows.len() / query.len()) {
        return Err(PyValueError::new_err("there is no such row"));
    }
    let found = fastest_half_products(rows, numbers, &query);
    let bytes: Vec<[u8; 8]> = found.iter().map(|product| product.to_le_bytes()).collect();
    Ok(PyBytes::new(py, bytes.as_flattened()))
}
