//! The native core of Cairn: pure functions over bytes and arrays.
//!
//! Each has a reference in Python, `cairn.kernel`, which is its specification; both give the same bytes.

mod binder;
mod chains;
mod characters;
mod chunks;
mod codes;
mod comments;
mod define;
mod definitions;
mod extract;
mod flowrows;
mod flows;
mod grammar;
mod grams;
mod halves;
mod hashing;
mod lines;
mod macros;
mod marks;
mod matches;
mod narrowing;
mod occurrences;
mod packing;
mod patterns;
mod pieces;
mod postings;
mod predicates;
mod quoted;
mod receivers;
mod roles;
mod rows;
mod rules;
mod runs;
mod scopes;
mod scores;
mod shapes;
mod source;
mod stamps;
mod strings;
mod terms;
mod text;
mod this;
mod ties;
mod trees;
mod turning;
mod uses;
mod values;
mod ways;
mod words;

use pyo3::prelude::*;

/// Which contract this core fulfils; `cairn.kernel` uses no other than the one it was written for.
const CONTRACT: u32 = 24;

#[pymodule]
fn cairn_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CONTRACT", CONTRACT)?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<grammar::Grammar>()?;
    module.add_class::<terms::TermTable>()?;
    module.add_class::<pieces::PieceSums>()?;
    module.add_class::<lines::LineSearch>()?;
    module.add_function(wrap_pyfunction!(codes::code_products, module)?)?;
    module.add_function(wrap_pyfunction!(grams::grams_of, module)?)?;
    module.add_function(wrap_pyfunction!(grams::gathered, module)?)?;
    module.add_function(wrap_pyfunction!(halves::half_products, module)?)?;
    module.add_function(wrap_pyfunction!(packing::packed_by_lines, module)?)?;
    module.add_function(wrap_pyfunction!(postings::inverted, module)?)?;
    module.add_function(wrap_pyfunction!(scores::term_counts, module)?)?;
    module.add_function(wrap_pyfunction!(stamps::stamps_moved, module)?)?;
    module.add_function(wrap_pyfunction!(turning::turned, module)?)?;
    Ok(())
}
