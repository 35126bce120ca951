//! The trigrams of a file, hashed into buckets. Reference: `cairn.kernel.grams`.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

const BITS: u32 = 18;
const FACTOR: u32 = 2_654_435_761;

/// The only characters beyond ASCII that equal a letter of it when case is ignored.
const SIMILAR: [(&[u8], u8); 4] =
    [(b"\xc4\xb0", b'i'), (b"\xc4\xb1", b'i'), (b"\xc5\xbf", b's'), (b"\xe2\x84\xaa", b'k')];

fn folded(data: &[u8]) -> Vec<u8> {
    if data.is_ascii() {
        return data.to_ascii_lowercase();
    }
    let mut low = Vec::with_capacity(data.len());
    let mut at = 0;
    while at < data.len() {
        match SIMILAR.iter().find(|(character, _)| data[at..].starts_with(character)) {
            Some((character, letter)) => {
                low.push(*letter);
                at += character.len();
            }
            None => {
                low.push(data[at].to_ascii_lowercase());
                at += 1;
            }
        }
    }
    low
}

fn packed(data: &[u8]) -> Vec<u8> {
    let low = folded(data);
    let mut marks = vec![0u64; 1 << (BITS - 6)];
    for three in low.windows(3) {
        let code = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        let bucket = code.wrapping_mul(FACTOR) >> (32 - BITS);
        marks[(bucket >> 6) as usize] |= 1 << (bucket & 63);
    }
    let mut quarters = [0u32; 4];
    let mut found = Vec::new();
    for (place, &word) in marks.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            let bucket = (place as u32) << 6 | rest.trailing_zeros();
            rest &= rest - 1;
            quarters[(bucket >> 16) as usize] += 1;
            found.extend_from_slice(&(bucket as u16).to_le_bytes());
        }
    }
    let mut out: Vec<u8> = quarters.iter().flat_map(|count| count.to_le_bytes()).collect();
    out.extend(found);
    out
}

/// All buckets of a file's text: two bytes each, after the count in each quarter.
#[pyfunction]
pub fn grams_of<'py>(py: Python<'py>, data: &[u8]) -> Bound<'py, PyBytes> {
    let found = py.detach(|| packed(data));
    PyBytes::new(py, &found)
}
