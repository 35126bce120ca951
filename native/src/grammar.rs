//! A grammar of a Python wheel, ready to parse; and what parsing a file gives to Python.

use std::collections::HashSet;
use std::ffi::CStr;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyTuple};
use tree_sitter::{Language, Parser, ffi::TSLanguage};

use crate::chunks::chunk_tree;
use crate::extract::extract;
use crate::matches::matched;
use crate::packing::{Labels, packed};
use crate::rows::{Found, Rows};
use crate::rules::Rules;
use crate::shapes::{Kinds, Scoping, Shapes};
use crate::source::Source;
use crate::trees::tree_block;
use crate::uses::{NameRows, NameRules, rows_of};
use crate::values::{ValueKinds, Values};

const CAPSULE: &CStr = c"tree_sitter.Language";

/// What is exported where nothing else tells.
pub enum Exported {
    Everything,
    /// What doesn't start with an underscore, and names like `__init__`.
    WithoutUnderscore,
    /// What starts with a capital letter.
    UpperCase,
    /// What Python's function says of the name and its head.
    Said,
}

/// Parses the files of one language.
#[pyclass(frozen)]
pub struct Grammar {
    language: Language,
    rules: Rules,
    names: NameRules,
    pub exported: Exported,
    /// `(name, head) -> bool`
    pub says_exported: Py<PyAny>,
    /// `(statement, source, what stands before it) -> names`; None where imports bind nothing.
    pub bindings: Option<Py<PyAny>>,
}

/// The grammar that a wheel gives: a capsule, or in older ones its address.
///
/// SAFETY: a wheel's `language()` gives the address of the grammar's tables, constants of a library that stays loaded
/// until the process ends. Whoever gives another address breaks the interpreter's Python binding alike.
#[allow(unsafe_code)]
fn language_of(given: &Bound<'_, PyAny>) -> PyResult<Language> {
    let pointer: *const TSLanguage = match given.cast::<PyCapsule>() {
        Ok(capsule) => capsule.pointer_checked(Some(CAPSULE))?.as_ptr().cast_const().cast(),
        Err(_) => given.extract::<usize>()? as *const TSLanguage,
    };
    if pointer.is_null() {
        return Err(PyTypeError::new_err("a grammar's address is empty"));
    }
    Ok(unsafe { Language::from_raw(pointer) })
}

#[pymethods]
impl Grammar {
    /// A grammar with its query and customs; ValueError where the core can't follow them as the reference does.
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        language: &Bound<'_, PyAny>,
        query: &str,
        bodies: Vec<String>,
        clauses: bool,
        reserved: HashSet<String>,
        exported: &str,
        says_exported: Py<PyAny>,
        bindings: Option<Py<PyAny>>,
        scoping: Scoping,
        kinds: Kinds,
        value_kinds: ValueKinds,
        asks_quoted: bool,
        normalized: Py<PyAny>,
    ) -> PyResult<Self> {
        let language = language_of(language)?;
        let exported = match exported {
            "always" => Exported::Everything,
            "without_underscore" => Exported::WithoutUnderscore,
            "upper_case" => Exported::UpperCase,
            _ => Exported::Said,
        };
        let asks_heads = matches!(exported, Exported::Said);
        let rules =
            Rules::new(&language, query, &bodies, clauses, reserved, asks_heads).map_err(PyValueError::new_err)?;
        let values = Values::new(&language, value_kinds, &scoping.functions);
        let names = NameRules { shapes: Shapes::new(&language, scoping, kinds), values, asks_quoted, normalized };
        Ok(Self { language, rules, names, exported, says_exported, bindings })
    }

    /// Chunks, symbols, imports, calls and the top comment of a file, as rows of their fields; where it is asked for,
    /// also what `occurrences` gives, and the tree.
    ///
    /// None where only the reference can tell.
    fn parse<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyBytes>,
        chunk_bytes: usize,
        max_chunks: usize,
        names: bool,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Ok(text) = std::str::from_utf8(data.as_bytes()) else { return Ok(None) };
        let found = self.detached(py, |parser| self.found(parser, text, chunk_bytes, max_chunks, names))?;
        found.map_or(Ok(None), |found| Rows::new(py, text).of(self, &found).map(Some))
    }

    /// A file as a segment holds it: see `packing::Packed`.
    ///
    /// None where only the reference can tell.
    fn pack<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyBytes>,
        chunk_bytes: usize,
        max_chunks: usize,
        labels: Labels,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Ok(text) = std::str::from_utf8(data.as_bytes()) else { return Ok(None) };
        let found = self.detached(py, |parser| self.found(parser, text, chunk_bytes, max_chunks, true))?;
        found.map_or(Ok(None), |found| packed(py, self, text, &found, &labels))
    }

    /// Every place of a name in a file, as the block that `cairn.syntax.blocks` tells of.
    ///
    /// None where only the reference can tell.
    fn occurrences<'py>(&self, py: Python<'py>, data: &Bound<'py, PyBytes>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Ok(text) = std::str::from_utf8(data.as_bytes()) else { return Ok(None) };
        let block = self.detached(py, |parser| self.names_in(parser, text, |names| names.block()))?;
        Ok(block.map(|block| PyBytes::new(py, &block)))
    }

    /// How values flow in a file, as the block that `cairn.syntax.flows` tells of.
    ///
    /// None where only the reference can tell.
    fn flows<'py>(&self, py: Python<'py>, data: &Bound<'py, PyBytes>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Ok(text) = std::str::from_utf8(data.as_bytes()) else { return Ok(None) };
        let block = self.detached(py, |parser| self.names_in(parser, text, |names| names.flows.block()))?;
        Ok(block.map(|block| PyBytes::new(py, &block)))
    }
}

impl Grammar {
    /// What a function makes with a parser, while others may run Python; no part of a tree may be in it.
    fn detached<T: Send>(&self, py: Python, make: impl Send + FnOnce(&mut Parser) -> T) -> PyResult<T> {
        py.detach(|| {
            let mut parser = Parser::new();
            parser.set_language(&self.language).map_err(|error| PyValueError::new_err(error.to_string()))?;
            Ok(make(&mut parser))
        })
    }

    fn names_in(&self, parser: &mut Parser, text: &str, block: impl FnOnce(&NameRows) -> Vec<u8>) -> Option<Vec<u8>> {
        let tree = parser.parse(text, None)?;
        let source = Source::new(text);
        let found = matched(&self.rules, &tree, &source).ok()?;
        rows_of(&self.names, &self.rules, parser, &tree, &found, &source).ok().map(|names| block(&names))
    }

    fn found<'a>(
        &'a self,
        parser: &mut Parser,
        text: &'a str,
        limit: usize,
        most: usize,
        asks_names: bool,
    ) -> Option<Found<'a>> {
        let tree = parser.parse(text, None)?;
        let source = Source::new(text);
        let found = matched(&self.rules, &tree, &source).ok()?;
        let names =
            if asks_names { rows_of(&self.names, &self.rules, parser, &tree, &found, &source).ok() } else { None };
        let shape = if asks_names { tree_block(&tree, text.as_bytes()) } else { Vec::new() };
        let facts = extract(&self.rules, found, &source).ok()?;
        let chunks = chunk_tree(&source, &tree, &facts.spans, &facts.symbols, limit, most);
        Some(Found { facts, chunks, names, tree: shape })
    }
}
