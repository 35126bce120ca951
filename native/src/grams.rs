//! The trigrams of a file, hashed into buckets. Reference: `cairn.kernel.grams`.

use pyo3::exceptions::PyValueError;
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

/// A step that only goes on.
const ON: u32 = 255;
const QUARTERS: usize = 16;

/// The buckets of a file's packed trigrams; None where they don't fit together.
fn buckets_of(grams: &[u8]) -> Option<impl Iterator<Item = usize>> {
    let (head, low) = grams.split_at_checked(QUARTERS)?;
    let number = |each: &[u8]| each.iter().rev().fold(0usize, |number, &byte| number << 8 | usize::from(byte));
    let mut ends = [0; 4];
    let mut end = 0;
    for (place, each) in ends.iter_mut().zip(head.chunks_exact(4)) {
        end += number(each);
        *place = end;
    }
    (low.len() == 2 * end).then(move || {
        let quarter = move |at: usize| ends.iter().position(|&end| at < end).unwrap_or(3) << 16;
        low.chunks_exact(2).enumerate().map(move |(at, each)| quarter(at) | number(each))
    })
}

fn gather(files: &[&[u8]]) -> Option<[Vec<u8>; 3]> {
    let mut sizes = vec![0u32; 1 << BITS];
    let mut last = vec![0u32; 1 << BITS];
    for (file, grams) in files.iter().enumerate() {
        for bucket in buckets_of(grams)? {
            sizes[bucket] += (file as u32 - last[bucket]) / ON + 1;
            last[bucket] = file as u32;
        }
    }
    let map_bytes = files.len().div_ceil(8) as u32;
    let mapped: Vec<bool> = sizes.iter().map(|&size| size >= map_bytes).collect();
    let (mut offsets, mut buckets) = (vec![0u8; 4], Vec::new());
    let mut end = 0;
    for (bucket, size) in sizes.iter_mut().enumerate().filter(|each| *each.1 > 0) {
        // From here on, this says where the next step of each bucket goes.
        end += std::mem::replace(size, end).min(map_bytes);
        offsets.extend_from_slice(&end.to_le_bytes());
        buckets.extend_from_slice(&(bucket as u32).to_le_bytes());
    }
    let mut steps = vec![ON as u8; end as usize];
    for bucket in (0..mapped.len()).filter(|&bucket| mapped[bucket]) {
        steps[sizes[bucket] as usize..(sizes[bucket] + map_bytes) as usize].fill(0);
    }
    last.fill(0);
    for (file, grams) in files.iter().enumerate() {
        for bucket in buckets_of(grams)? {
            if mapped[bucket] {
                steps[sizes[bucket] as usize + file / 8] |= 1 << (file % 8);
                continue;
            }
            let gap = file as u32 - last[bucket];
            let at = sizes[bucket] + gap / ON;
            steps[at as usize] = (gap % ON) as u8;
            sizes[bucket] = at + 1;
            last[bucket] = file as u32;
        }
    }
    Some([offsets, buckets, steps])
}

/// The trigrams of files, which have consecutive numbers, by bucket: offsets, buckets and steps or bits.
#[pyfunction]
pub fn gathered<'py>(
    py: Python<'py>,
    grams: Vec<Bound<'py, PyBytes>>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let files: Vec<&[u8]> = grams.iter().map(|each| each.as_bytes()).collect();
    let found = py.detach(|| gather(&files));
    let [offsets, buckets, steps] = found.ok_or_else(|| PyValueError::new_err("these are no trigrams of a file"))?;
    Ok((PyBytes::new(py, &offsets), PyBytes::new(py, &buckets), PyBytes::new(py, &steps)))
}
