//! Inner products with rows that are told by codes. Reference: `cairn.kernel.codes`.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::halves::shared;

const CODES: usize = 256;
/// Rows whose sums stay in the nearest cache while piece after piece is added.
const AT_ONCE: usize = 4096;

fn add_up(codes: &[u8], tables: &[[f32; CODES]], found: &mut [[u8; 4]]) {
    let rows = found.len();
    let mut sums = [0f32; AT_ONCE];
    for (part, found) in found.chunks_mut(AT_ONCE).enumerate() {
        let sums = &mut sums[..found.len()];
        sums.fill(0.0);
        for (piece, table) in tables.iter().enumerate() {
            let first = piece * rows + part * AT_ONCE;
            for (sum, code) in sums.iter_mut().zip(&codes[first..first + found.len()]) {
                *sum += table[usize::from(*code)];
            }
        }
        for (sum, bytes) in sums.iter().zip(found) {
            *bytes = sum.to_le_bytes();
        }
    }
}

/// The sums, row by row, of what the tables have for its codes, which lie one behind the other piece by piece; float32.
#[pyfunction]
pub fn code_products<'py>(
    py: Python<'py>,
    codes: PyBuffer<u8>,
    tables: Vec<f32>,
) -> PyResult<Bound<'py, PyByteArray>> {
    let codes = shared(py, &codes).ok_or_else(|| PyValueError::new_err("codes aren't one behind the other"))?;
    let (tables, rest) = tables.as_chunks::<CODES>();
    if tables.is_empty() || !rest.is_empty() || codes.len() % tables.len() != 0 {
        return Err(PyValueError::new_err("codes aren't as many as their pieces ask for"));
    }
    PyByteArray::new_with(py, 4 * (codes.len() / tables.len()), |bytes| {
        py.detach(|| add_up(codes, tables, bytes.as_chunks_mut::<4>().0));
        Ok(())
    })
}
