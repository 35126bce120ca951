//! What parsing gives, as rows of Python: tuples of the fields of `cairn.syntax.facts`.

use pyo3::exceptions::PyUnicodeDecodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::chunks::Chunk;
use crate::extract::{Call, Extracted, Symbol};
use crate::grammar::{Exported, Grammar};
use crate::hashing::{HashMap, HashSet};
use crate::matches::Import;
use crate::text::{MAX_NAME, prefix};
use crate::uses::NameRows;

/// What was found in a file.
pub struct Found<'a> {
    pub facts: Extracted<'a>,
    pub chunks: Vec<Chunk>,
    /// Its names, where they were asked for and the core can tell.
    pub names: Option<NameRows<'a>>,
    /// The block of its tree, where names were asked for.
    pub tree: Vec<u8>,
}

/// Makes rows; a name that comes again is one string.
pub struct Rows<'py, 'a> {
    py: Python<'py>,
    text: &'a str,
    known: HashMap<&'a str, Bound<'py, PyString>>,
}

impl<'py, 'a> Rows<'py, 'a> {
    pub fn new(py: Python<'py>, text: &'a str) -> Self {
        Self { py, text, known: HashMap::default() }
    }

    /// Chunks, symbols, imports, calls, the top comment, and the blocks of names and of the tree.
    pub fn of(mut self, grammar: &Grammar, found: &'a Found<'a>) -> PyResult<Bound<'py, PyTuple>> {
        let Found { facts, chunks, names, tree } = found;
        let exported = self.exported(grammar, &facts.symbols)?;
        let chunks = self.rows(chunks, |rows, chunk| rows.chunk(chunk, &facts.symbols))?;
        let symbols =
            self.rows(facts.symbols.iter().zip(exported), |rows, (symbol, exported)| rows.symbol(symbol, exported))?;
        let imports =
            self.rows(&facts.imports, |rows, ((_, written), import)| rows.import(grammar, written, import))?;
        let calls = self.rows(&facts.calls, |rows, call| rows.call(call, &facts.symbols))?;
        let names = names.as_ref().map(|names| PyBytes::new(self.py, &names.block()));
        let tree = PyBytes::new(self.py, tree);
        (chunks, symbols, imports, calls, facts.top_comment.as_str(), names, tree).into_pyobject(self.py)
    }

    fn rows<I: IntoIterator>(
        &mut self,
        items: I,
        row: impl Fn(&mut Self, I::Item) -> PyResult<Bound<'py, PyTuple>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let rows: Vec<_> = items.into_iter().map(|item| row(self, item)).collect::<PyResult<_>>()?;
        PyTuple::new(self.py, rows)
    }

    fn string(&mut self, text: &'a str) -> Bound<'py, PyString> {
        self.known.entry(text).or_insert_with(|| PyString::new(self.py, text)).clone()
    }

    fn chunk(&mut self, chunk: &Chunk, symbols: &'a [Symbol<'a>]) -> PyResult<Bound<'py, PyTuple>> {
        let names: Vec<_> = chunk.symbols.iter().map(|&number| self.string(&symbols[number].qualified)).collect();
        let names = PyTuple::new(self.py, names)?;
        let Some(text) = self.text.get(chunk.start..chunk.end) else {
            return Err(PyUnicodeDecodeError::new_err("a chunk is smaller than a character"));
        };
        (text, chunk.start_line, chunk.end_line, chunk.start, chunk.end, names).into_pyobject(self.py)
    }

    fn symbol(&mut self, symbol: &'a Symbol<'a>, exported: bool) -> PyResult<Bound<'py, PyTuple>> {
        (
            self.string(&symbol.name),
            self.string(&symbol.qualified),
            self.string(symbol.kind),
            symbol.signature.as_str(),
            symbol.start_line,
            symbol.end_line,
            symbol.name_line,
            self.string(&symbol.container),
            exported,
            symbol.doc.as_str(),
        )
            .into_pyobject(self.py)
    }

    fn import(&mut self, grammar: &Grammar, written: &str, import: &Import) -> PyResult<Bound<'py, PyTuple>> {
        let names = self.bound(grammar, written, import)?;
        (prefix(written, MAX_NAME), import.line, names, import.is_again()).into_pyobject(self.py)
    }

    /// What an import gives to the file.
    pub fn bound(&self, grammar: &Grammar, written: &str, import: &Import) -> PyResult<Bound<'py, PyAny>> {
        match &grammar.bindings {
            Some(bindings) => bindings.bind(self.py).call1((&import.statement, written, &import.before)),
            None => Ok(PyString::new(self.py, "").into_any()),
        }
    }

    fn call(&mut self, call: &'a Call<'a>, symbols: &'a [Symbol<'a>]) -> PyResult<Bound<'py, PyTuple>> {
        let name = self.string(&call.name);
        let caller = self.string(call.caller.map_or("", |number| &symbols[number].qualified));
        let receiver = self.string(&call.receiver);
        (name, call.line, caller, receiver).into_pyobject(self.py)
    }

    /// Which symbols are exported; what stands in a definition that isn't exported isn't either.
    pub fn exported(&self, grammar: &Grammar, symbols: &[Symbol]) -> PyResult<Vec<bool>> {
        let mut exported: Vec<bool> =
            symbols.iter().map(|symbol| self.is_exported(grammar, symbol)).collect::<PyResult<_>>()?;
        let mut hidden: HashSet<&str> =
            symbols.iter().zip(&exported).filter(|each| !each.1).map(|each| each.0.qualified.as_str()).collect();
        let inside: HashSet<&str> = symbols
            .iter()
            .filter(|symbol| matches!(symbol.kind, "function" | "method" | "constructor" | "macro"))
            .map(|symbol| symbol.qualified.as_str())
            .collect();
        for (symbol, exported) in symbols.iter().zip(&mut exported) {
            if hidden.contains(symbol.container.as_str()) || inside.contains(symbol.container.as_str()) {
                hidden.insert(&symbol.qualified);
                *exported = false;
            }
        }
        Ok(exported)
    }

    fn is_exported(&self, grammar: &Grammar, symbol: &Symbol) -> PyResult<bool> {
        if let Some(shown) = symbol.shown {
            return Ok(shown);
        }
        let name = symbol.name.as_str();
        let by_rule = match (&grammar.exported, name.chars().next()) {
            (Exported::Everything, _) => true,
            (Exported::WithoutUnderscore, _) => {
                !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__"))
            }
            (Exported::UpperCase, None) => false,
            (Exported::UpperCase, Some(first)) if first.is_ascii() => first.is_ascii_uppercase(),
            _ => grammar.says_exported.bind(self.py).call1((name, symbol.head.as_str()))?.is_truthy()?,
        };
        Ok(by_rule || symbol.is_given)
    }
}
