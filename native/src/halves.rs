//! Inner products with rows of sixteen bit numbers. Reference: `cairn.kernel.halves`.

use std::mem::transmute;
use std::num::NonZero;
use std::slice;
use std::thread::{available_parallelism, scope};

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// Sums that are kept side by side, so that a processor can add several at once.
const LANES: usize = 32;
/// 2 to the power of 112: by so much a half is larger than the single that its bits make.
const RISE: f32 = f32::from_bits((127 + 112) << 23);
/// Where a single has the sign, and the bits of a half behind it.
const KEPT: u32 = 0x8fff_ffff;
/// Numbers for which a thread of their own pays: it starts in less time than it takes to read a tenth of them.
const A_THREAD: usize = 1 << 21;

#[inline(always)]
fn fallen(half: u16) -> f32 {
    let signed = i32::from(half as i16);
    f32::from_bits((signed << 13) as u32 & KEPT)
}

/// The product of each row with a query whose numbers have risen. Loops alone, without a closure: only what is inlined
/// into a function for wide registers is made of their instructions.
#[inline(always)]
fn products<const FUSED: bool>(halves: &[u16], query: &[f32], found: &mut [[u8; 4]]) {
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
        *product = sums[0].to_le_bytes();
    }
}

/// The same by the wide registers that most processors of this kind have, but not all.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn wide_products(halves: &[u16], query: &[f32], found: &mut [[u8; 4]]) {
    products::<true>(halves, query, found);
}

/// The same by registers of 512 bits and their own turning of halves, of a query as it is.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[allow(unsafe_code)]
fn widest_products(halves: &[u16], query: &[f32], found: &mut [[u8; 4]]) {
    use std::arch::x86_64::{
        __m256i, __m512, _mm512_add_ps, _mm512_cvtph_ps, _mm512_fmadd_ps, _mm512_reduce_add_ps, _mm512_setzero_ps,
    };
    // Safe, both: arrays of plain numbers and registers of the same size.
    let turned = |halves: &[u16; 16]| _mm512_cvtph_ps(unsafe { transmute::<[u16; 16], __m256i>(*halves) });
    let single = |values: &[f32; 16]| unsafe { transmute::<[f32; 16], __m512>(*values) };
    let (queries, last) = query.as_chunks::<16>();
    let queries: Vec<__m512> = queries.iter().map(single).collect();
    let (fours, others) = queries.as_chunks::<4>();
    for (row, product) in halves.chunks_exact(query.len()).zip(found) {
        let (rows, rest) = row.as_chunks::<16>();
        let (wide, narrow) = rows.as_chunks::<4>();
        let mut sums = [_mm512_setzero_ps(); 4];
        for (halves, values) in wide.iter().zip(fours) {
            for at in 0..4 {
                sums[at] = _mm512_fmadd_ps(turned(&halves[at]), values[at], sums[at]);
            }
        }
        for (halves, values) in narrow.iter().zip(others) {
            sums[0] = _mm512_fmadd_ps(turned(halves), *values, sums[0]);
        }
        let sum = _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3]));
        let rest: f32 = rest.iter().zip(last).map(|(half, value)| fallen(*half) * RISE * value).sum();
        *product = (_mm512_reduce_add_ps(sum) + rest).to_le_bytes();
    }
}

fn risen(query: &[f32]) -> Vec<f32> {
    query.iter().map(|value| value * RISE).collect()
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn fastest_products(halves: &[u16], query: &[f32], found: &mut [[u8; 4]]) {
    // Safe, both: the processor has just been asked whether it has them.
    if is_x86_feature_detected!("avx512f") {
        return unsafe { widest_products(halves, query, found) };
    }
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return unsafe { wide_products(halves, &risen(query), found) };
    }
    products::<false>(halves, &risen(query), found);
}

#[cfg(not(target_arch = "x86_64"))]
fn fastest_products(halves: &[u16], query: &[f32], found: &mut [[u8; 4]]) {
    products::<{ cfg!(target_arch = "aarch64") }>(halves, &risen(query), found);
}

/// The numbers of a buffer for several threads at once.
#[allow(unsafe_code)]
pub fn shared<'a, T: Element>(py: Python<'a>, rows: &'a PyBuffer<T>) -> Option<&'a [T]> {
    let cells = rows.as_slice(py)?;
    // Safe: a cell is laid out as its number, and nobody writes to them while they are read. They are those of a file of
    // a segment, which is written once and mapped to be read alone, or of an array that its caller keeps to itself.
    Some(unsafe { slice::from_raw_parts(cells.as_ptr().cast(), cells.len()) })
}

/// The product of each row, finite halves one row behind the other, with a query; float32.
#[pyfunction]
pub fn half_products<'py>(py: Python<'py>, rows: PyBuffer<u16>, query: Vec<f32>) -> PyResult<Bound<'py, PyByteArray>> {
    let halves = shared(py, &rows).ok_or_else(|| PyValueError::new_err("rows aren't one behind the other"))?;
    if query.is_empty() || halves.len() % query.len() != 0 {
        return Err(PyValueError::new_err("rows aren't as long as the query"));
    }
    let count = halves.len() / query.len();
    let cores = available_parallelism().map_or(1, NonZero::get);
    let share = count.div_ceil(cores.min(8).min(halves.len() / A_THREAD).max(1)).max(1);
    PyByteArray::new_with(py, 4 * count, |bytes| {
        py.detach(|| {
            let mut shares = halves.chunks(share * query.len()).zip(bytes.as_chunks_mut::<4>().0.chunks_mut(share));
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
        });
        Ok(())
    })
}
