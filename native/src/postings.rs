//! Rows of terms turned into terms of rows. Reference: `cairn.kernel.postings`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::hashing::HashMap;

type Inverted<'py> =
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// The numbers in as many bytes as `wide` asks for: four or two, or two or one.
fn bytes_of(values: &[u32], width: usize) -> Vec<u8> {
    let mut found = Vec::with_capacity(values.len() * width);
    for value in values {
        found.extend_from_slice(&value.to_le_bytes()[..width]);
    }
    found
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|each| u32::from_le_bytes([each[0], each[1], each[2], each[3]]))
}

/// Terms, offsets, rows, codes and pairs, each as the bytes of a file.
fn invert(sizes: &[u8], hashes: &[u8], text: &[u8], symbols: &[u8]) -> [Vec<u8>; 5] {
    let mut places: HashMap<u64, u32> = HashMap::default();
    let mut different: Vec<(u64, u32)> = Vec::new();
    let mut counts: Vec<u32> = Vec::new();
    let mut terms: Vec<u32> = Vec::with_capacity(text.len());
    for hash in hashes.chunks_exact(8) {
        let hash = u64::from_le_bytes(hash.try_into().expect("eight bytes"));
        let term = *places.entry(hash).or_insert_with(|| {
            different.push((hash, different.len() as u32));
            counts.push(0);
            different.len() as u32 - 1
        });
        counts[term as usize] += 1;
        terms.push(term);
    }
    different.sort_unstable();
    let mut known = vec![u32::MAX; 1 << 16];
    let pair_of = |entry: usize| usize::from(text[entry]) << 8 | usize::from(symbols[entry]);
    (0..text.len()).for_each(|entry| known[pair_of(entry)] = 0);
    let pairs: Vec<usize> = (0..known.len()).filter(|&pair| known[pair] == 0).collect();
    for (code, &pair) in pairs.iter().enumerate() {
        known[pair] = code as u32;
    }
    // From here on, `counts` says where the next entry of each term goes.
    let mut offsets = Vec::with_capacity(different.len() + 1);
    let mut end = 0;
    for &(_, term) in &different {
        offsets.push(end);
        end += std::mem::replace(&mut counts[term as usize], end);
    }
    offsets.push(end);
    let (mut rows, mut codes) = (vec![0u32; terms.len()], vec![0u32; terms.len()]);
    let mut entry = 0;
    for (row, size) in numbers(sizes).enumerate() {
        for _ in 0..size {
            let at = &mut counts[terms[entry] as usize];
            rows[*at as usize] = row as u32;
            codes[*at as usize] = known[pair_of(entry)];
            *at += 1;
            entry += 1;
        }
    }
    [
        different.iter().flat_map(|each| each.0.to_le_bytes()).collect(),
        bytes_of(&offsets, 4),
        bytes_of(&rows, if sizes.len() / 4 <= 1 << 16 { 2 } else { 4 }),
        bytes_of(&codes, if pairs.len() <= 1 << 8 { 1 } else { 2 }),
        pairs.iter().flat_map(|&pair| [(pair >> 8) as u8, pair as u8]).collect(),
    ]
}

/// The terms of all rows, of which each has so many (uint32); their hashes (uint64) and counts stand row by row.
#[pyfunction]
pub fn inverted<'py>(
    py: Python<'py>,
    sizes: &[u8],
    hashes: &[u8],
    text: &[u8],
    symbols: &[u8],
) -> PyResult<Inverted<'py>> {
    let total: usize = numbers(sizes).map(|size| size as usize).sum();
    if [hashes.len(), text.len(), symbols.len()] != [8 * total, total, total] {
        return Err(PyValueError::new_err("rows don't have as many terms as they say"));
    }
    let [terms, offsets, rows, codes, pairs] = py.detach(|| invert(sizes, hashes, text, symbols));
    let given = |bytes: Vec<u8>| PyBytes::new(py, &bytes);
    Ok((given(terms), given(offsets), given(rows), given(codes), given(pairs)))
}
