//! Which files and folders no longer have their stamps. Reference: `cairn.kernel.stamps`.

use std::ffi::OsStr;
use std::fs::symlink_metadata;
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::{available_parallelism, scope};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

const STAMP: usize = 32;
const A_THREAD: usize = 1000;

fn stands(path: &Path, stamp: &[u8]) -> bool {
    let Ok(found) = symlink_metadata(path) else { return false };
    let nanoseconds = |seconds: i64, rest: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest);
    let now = [
        nanoseconds(found.mtime(), found.mtime_nsec()).to_le_bytes(),
        nanoseconds(found.ctime(), found.ctime_nsec()).to_le_bytes(),
        found.size().to_le_bytes(),
        found.ino().to_le_bytes(),
    ];
    now.as_flattened() == stamp
}

/// The places of those of some paths, from a root on and with NUL in between, that don't have their stamps.
#[pyfunction]
pub fn stamps_moved(py: Python<'_>, root: &[u8], names: &[u8], stamps: &[u8]) -> PyResult<Vec<usize>> {
    py.detach(|| {
        let root = Path::new(OsStr::from_bytes(root));
        let names: Vec<&[u8]> = names.split(|byte| *byte == 0).collect();
        if stamps.len() != names.len() * STAMP {
            return Err(PyValueError::new_err("as many stamps as names are needed"));
        }
        let share = names.len().div_ceil(threads(names.len()));
        let moved = |(number, (names, stamps)): (usize, (&[&[u8]], &[u8]))| -> Vec<usize> {
            let pairs = names.iter().zip(stamps.chunks_exact(STAMP)).enumerate();
            pairs
                .filter(|(_, (name, stamp))| !stands(&root.join(OsStr::from_bytes(name)), stamp))
                .map(|(place, _)| number * share + place)
                .collect()
        };
        let mut shares = names.chunks(share).zip(stamps.chunks(share * STAMP)).enumerate();
        let first = shares.next();
        scope(|scope| {
            let others: Vec<_> = shares.map(|each| scope.spawn(move || moved(each))).collect();
            let mut found = first.map(moved).unwrap_or_default();
            for other in others {
                found.extend(other.join().map_err(|_| PyValueError::new_err("a thread was lost"))?);
            }
            Ok(found)
        })
    })
}

/// As many as the machine runs at once, for so many names that starting them pays.
fn threads(names: usize) -> usize {
    let cores = available_parallelism().map_or(1, NonZero::get);
    cores.min(8).min(names / A_THREAD).max(1)
}
