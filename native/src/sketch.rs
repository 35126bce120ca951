//! Rows that may be among the nearest to a vector, by a coarse copy of the matrix. Reference: `cairn.kernel.sketch`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

const MOST: f64 = 127.0;
/// Bounds are computed in floats themselves: they are made a little wider than the arithmetic says.
const CAUTION: f64 = 1.000_01;

/// Each row as small whole numbers and a scale, with how far that is from the row at most.
#[pyclass]
pub struct Sketch {
    dimension: usize,
    codes: Vec<i8>,
    rows: Vec<Coarse>,
}

#[derive(Clone, Copy)]
struct Coarse {
    scale: f32,
    error: f32,
    norm: f32,
}

fn numbers(data: &[u8]) -> impl Iterator<Item = f32> + Clone {
    data.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
}

fn norm(values: impl Iterator<Item = f64>) -> f32 {
    (values.map(|value| value * value).sum::<f64>().sqrt() * CAUTION) as f32
}

fn dot(codes: &[i8], query: &[i16]) -> i32 {
    codes.iter().zip(query).map(|(&code, &value)| i32::from(i16::from(code)) * i32::from(value)).sum()
}

#[pymethods]
impl Sketch {
    #[new]
    fn new(dimension: usize) -> PyResult<Self> {
        if dimension == 0 || dimension > 1 << 16 {
            return Err(PyValueError::new_err("no such dimension"));
        }
        Ok(Self { dimension, codes: Vec::new(), rows: Vec::new() })
    }

    /// Add rows, which are given as little-endian float32.
    fn add(&mut self, py: Python<'_>, block: &[u8]) {
        py.detach(|| {
            for row in block.chunks_exact(4 * self.dimension) {
                let largest = numbers(row).fold(0.0_f32, |most, value| most.max(value.abs()));
                let scale = largest / MOST as f32;
                let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
                let start = self.codes.len();
                self.codes.extend(numbers(row).map(|value| {
                    let code = value * inverse;
                    (code + 0.5_f32.copysign(code)) as i8
                }));
                let codes = &self.codes[start..];
                let kept = |code: &i8| f64::from(*code) * f64::from(scale);
                self.rows.push(Coarse {
                    scale,
                    error: norm(numbers(row).zip(codes).map(|(value, code)| f64::from(value) - kept(code))),
                    norm: norm(codes.iter().map(kept)),
                });
            }
        });
    }

    /// Every row that may be among so many nearest, or as near as those but for the rounding; int64, in order.
    fn near<'py>(
        &self,
        py: Python<'py>,
        query: &[u8],
        limit: usize,
        rounding: f32,
        live: Option<&[u8]>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let fits = live.is_none_or(|live| live.len() == self.rows.len());
        if query.len() != 4 * self.dimension || !fits {
            return Err(PyValueError::new_err("the query doesn't fit the rows"));
        }
        let found = py.detach(|| self.found(&numbers(query).collect::<Vec<_>>(), limit, rounding, live));
        Ok(PyBytes::new(py, found.as_flattened()))
    }
}

impl Sketch {
    fn found(&self, query: &[f32], limit: usize, rounding: f32, live: Option<&[u8]>) -> Vec<[u8; 8]> {
        let largest = query.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        // No sum of products leaves 32 bits.
        let most = (f64::from(i32::MAX) / (MOST * self.dimension as f64)).min(f64::from(i16::MAX)).floor();
        let scale = f64::from(largest) / most;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        let codes: Vec<i16> = query.iter().map(|&value| (f64::from(value) * inverse).round() as i16).collect();
        let own = norm(query.iter().map(|&value| f64::from(value)));
        let lost = norm(query.iter().zip(&codes).map(|(&value, &code)| f64::from(value) - f64::from(code) * scale));
        let is_live = |row: usize| live.is_none_or(|live| live[row] != 0);
        let mut least = Vec::with_capacity(self.rows.len());
        let mut most = Vec::with_capacity(self.rows.len());
        for (row, (coarse, held)) in self.rows.iter().zip(self.codes.chunks_exact(self.dimension)).enumerate() {
            if !is_live(row) {
                most.push(f32::NEG_INFINITY);
                continue;
            }
            let about = dot(held, &codes) as f32 * (coarse.scale * scale as f32);
            let off = coarse.error * own + coarse.norm * lost + about.abs() * 1e-6 + rounding;
            least.push(about - off);
            most.push(about + off);
        }
        let edge = if limit < least.len() {
            let place = least.len() - limit;
            *least.select_nth_unstable_by(place, f32::total_cmp).1
        } else {
            f32::MIN
        };
        let rows = most.iter().enumerate().filter(|(_, most)| **most >= edge);
        rows.map(|(row, _)| (row as i64).to_le_bytes()).collect()
    }
}
