//! Rows of terms turned into terms of rows. Reference: `cairn.kernel.postings`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::hashing::HashMap;

/// The code of an entry whose counts stand by themselves.
const RARE: usize = 255;
const MOST_ROWS: usize = 1 << 16;

type Part<'py> = Bound<'py, PyBytes>;
type Inverted<'py> = (Part<'py>, Part<'py>, Part<'py>, Part<'py>, Part<'py>, Part<'py>);

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|each| u32::from_le_bytes([each[0], each[1], each[2], each[3]]))
}

/// The codes of the pairs that come most often, in order; `RARE` for all others. And these pairs.
fn coded(text: &[u8], symbols: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let mut counts = vec![0u32; 1 << 16];
    text.iter().zip(symbols).for_each(|(&text, &symbols)| counts[pair_of(text, symbols)] += 1);
    let mut pairs: Vec<usize> = (0..counts.len()).filter(|&pair| counts[pair] > 0).collect();
    pairs.sort_by_key(|&pair| std::cmp::Reverse(counts[pair]));
    pairs.truncate(RARE);
    pairs.sort_unstable();
    let mut codes = vec![RARE as u8; 1 << 16];
    for (code, &pair) in pairs.iter().enumerate() {
        codes[pair] = code as u8;
    }
    (codes, pairs)
}

fn pair_of(text: u8, symbols: u8) -> usize {
    usize::from(text) << 8 | usize::from(symbols)
}

/// Terms, offsets, the rare, rows, codes and pairs, each as the bytes of a file.
fn invert(sizes: &[u8], hashes: &[u8], text: &[u8], symbols: &[u8]) -> [Vec<u8>; 6] {
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
    drop(places);
    different.sort_unstable();
    let (known, pairs) = coded(text, symbols);
    // From here on, `counts` says where the next entry of each term goes.
    let mut offsets = Vec::with_capacity(4 * (different.len() + 1));
    let mut end = 0u32;
    for &(_, term) in &different {
        offsets.extend_from_slice(&end.to_le_bytes());
        end += std::mem::replace(&mut counts[term as usize], end);
    }
    offsets.extend_from_slice(&end.to_le_bytes());
    let (mut rows, mut codes) = (vec![0u8; 2 * terms.len()], vec![0u8; terms.len()]);
    let mut rare: Vec<(u32, usize)> = Vec::new();
    let mut entry = 0;
    for (row, size) in numbers(sizes).enumerate() {
        for _ in 0..size {
            let at = &mut counts[terms[entry] as usize];
            let (place, pair) = (*at as usize, pair_of(text[entry], symbols[entry]));
            rows[2 * place..2 * place + 2].copy_from_slice(&(row as u16).to_le_bytes());
            codes[place] = known[pair];
            if usize::from(known[pair]) == RARE {
                rare.push((*at, pair));
            }
            *at += 1;
            entry += 1;
        }
    }
    rare.sort_unstable();
    let said = pairs.into_iter().chain(rare.iter().map(|each| each.1));
    [
        different.iter().flat_map(|each| each.0.to_le_bytes()).collect(),
        offsets,
        rare.iter().flat_map(|each| each.0.to_le_bytes()).collect(),
        rows,
        codes,
        said.flat_map(|pair| [(pair >> 8) as u8, pair as u8]).collect(),
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
    if [hashes.len(), text.len(), symbols.len()] != [8 * total, total, total] || sizes.len() / 4 > MOST_ROWS {
        return Err(PyValueError::new_err("rows don't have as many terms as they say"));
    }
    let [terms, offsets, rare, rows, codes, pairs] = py.detach(|| invert(sizes, hashes, text, symbols));
    let given = |bytes: Vec<u8>| PyBytes::new(py, &bytes);
    Ok((given(terms), given(offsets), given(rare), given(rows), given(codes), given(pairs)))
}
