//! Inner products with rows of sixteen bit numbers. Reference: `cairn.kernel.halves`.

use pyo3::buffer::{PyBuffer, ReadOnlyCell};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Sums that are kept side by side, so that a processor can add several at once.
const LANES: usize = 16;
/// 2 to the power of 112: by so much a half is larger than the single that its bits make.
pub(crate) const RISE: f32 = f32::from_bits((127 + 112) << 23);
/// Where a single has the sign, and the bits of a half behind it.
const KEPT: u32 = 0x8fff_ffff;

pub(crate) fn fallen(half: &ReadOnlyCell<u16>) -> f32 {
    let signed = i32::from(half.get() as i16);
    f32::from_bits((signed << 13) as u32 & KEPT)
}

/// The product of a row with a query whose numbers have risen.
fn product(row: &[ReadOnlyCell<u16>], query: &[f32]) -> f32 {
    let (rows, queries) = (row.chunks_exact(LANES), query.chunks_exact(LANES));
    let rest = rows.remainder().iter().zip(queries.remainder());
    let rest: f32 = rest.map(|(half, value)| fallen(half) * value).sum();
    let mut sums = [0f32; LANES];
    for (halves, values) in rows.zip(queries) {
        for at in 0..LANES {
            sums[at] += fallen(&halves[at]) * values[at];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// The product of each row, finite halves one row behind the other, with a query; float32.
#[pyfunction]
pub fn half_products<'py>(py: Python<'py>, rows: PyBuffer<u16>, query: Vec<f32>) -> PyResult<Bound<'py, PyBytes>> {
    let halves = rows.as_slice(py).ok_or_else(|| PyValueError::new_err("rows aren't one behind the other"))?;
    if query.is_empty() || halves.len() % query.len() != 0 {
        return Err(PyValueError::new_err("rows aren't as long as the query"));
    }
    let query: Vec<f32> = query.iter().map(|value| value * RISE).collect();
    let mut found = Vec::with_capacity(4 * halves.len() / query.len());
    for row in halves.chunks_exact(query.len()) {
        found.extend_from_slice(&product(row, &query).to_le_bytes());
    }
    Ok(PyBytes::new(py, &found))
}
