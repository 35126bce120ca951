//! Inner products with rows of sixteen bit numbers. Reference: `cairn.kernel.halves`.

use std::num::NonZero;
use std::slice;
use std::thread::{available_parallelism, scope};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Sums that are kept side by side, so that a processor can add several at once.
const LANES: usize = 32;
/// 2 to the power of 112: by so much a half is larger than the single that its bits make.
pub(crate) const RISE: f32 = f32::from_bits((127 + 112) << 23);
/// Where a single has the sign, and the bits of a half behind it.
const KEPT: u32 = 0x8fff_ffff;
/// Numbers for which a thread of their own pays: it starts in less time than it takes to read a tenth of them.
const A_THREAD: usize = 1 << 21;

#[inline(always)]
pub(crate) fn fallen(half: u16) -> f32 {
    let signed = i32::from(half as i16);
    f32::from_bits((signed << 13) as u32 & KEPT)
}

/// The product of each row with a query whose numbers have risen. Loops alone, without a closure: only what is inlined
/// into a function for wide registers is made of their instructions.
#[inline(always)]
fn products<const FUSED: bool>(halves: &[u16], query: &[f32], found: &mut [f32]) {
    let (queries, last) = query.as_chunks::<LANES>();
    for (row, product) in halves.chunks_exact(query.len()).zip(found) {
        let (rows, rest) = row.as_chunks::<LANES>();
        let mut sums = [0f32; LANES];
        for (halves, values) in rows.iter().zip(queries) {
            for at in 0..LANES {
                let half = fallen(halves[at]);
                sums[at] = if FUSED { half.mul_add(values[at], sums[at]) } else { sums[at] + half * values[at] };
            }
        }
        let mut width = LANES / 2;
        while width > 0 {
            for at in 0..width {
                sums[at] += sums[at + width];
            }
            width /= 2;
        }
        for (half, value) in rest.iter().zip(last) {
            sums[0] += fallen(*half) * value;
        }
        *product = sums[0];
    }
}

/// The same by the wide registers that most processors of this kind have, but not all.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn wide_products(halves: &[u16], query: &[f32], found: &mut [f32]) {
    products::<true>(halves, query, found);
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn fastest_products(halves: &[u16], query: &[f32], found: &mut [f32]) {
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // Safe: the processor has just been asked whether it has them.
        return unsafe { wide_products(halves, query, found) };
    }
    products::<false>(halves, query, found);
}

#[cfg(not(target_arch = "x86_64"))]
fn fastest_products(halves: &[u16], query: &[f32], found: &mut [f32]) {
    products::<{ cfg!(target_arch = "aarch64") }>(halves, query, found);
}

/// The numbers of a buffer for several threads at once.
#[allow(unsafe_code)]
fn shared<'a>(py: Python<'a>, rows: &'a PyBuffer<u16>) -> Option<&'a [u16]> {
    let cells = rows.as_slice(py)?;
    // Safe: a cell is laid out as its number, and nobody writes to them while they are read. They are those of a file of
    // a segment, which is written once and mapped to be read alone, or of an array that its caller keeps to itself.
    Some(unsafe { slice::from_raw_parts(cells.as_ptr().cast(), cells.len()) })
}

/// The product of each row, finite halves one row behind the other, with a query; float32.
#[pyfunction]
pub fn half_products<'py>(py: Python<'py>, rows: PyBuffer<u16>, query: Vec<f32>) -> PyResult<Bound<'py, PyBytes>> {
    let halves = shared(py, &rows).ok_or_else(|| PyValueError::new_err("rows aren't one behind the other"))?;
    if query.is_empty() || halves.len() % query.len() != 0 {
        return Err(PyValueError::new_err("rows aren't as long as the query"));
    }
    let bytes: Vec<[u8; 4]> = py.detach(|| {
        let query: Vec<f32> = query.iter().map(|value| value * RISE).collect();
        let mut found = vec![0f32; halves.len() / query.len()];
        let cores = available_parallelism().map_or(1, NonZero::get);
        let share = found.len().div_ceil(cores.min(8).min(halves.len() / A_THREAD).max(1)).max(1);
        let mut shares = halves.chunks(share * query.len()).zip(found.chunks_mut(share));
        let first = shares.next();
        scope(|scope| {
            for (halves, found) in shares {
                let query = &query;
                scope.spawn(move || fastest_products(halves, query, found));
            }
            if let Some((halves, found)) = first {
                fastest_products(halves, &query, found);
            }
        });
        found.iter().map(|value| value.to_le_bytes()).collect()
    });
    Ok(PyBytes::new(py, bytes.as_flattened()))
}
