//! What the interpreter's tables say of characters beyond ASCII. Reference: `cairn.kernel.characters`.

use pyo3::prelude::*;

use crate::hashing::HashMap;
use crate::words::each_run;

/// More different characters than all scripts of the living have.
const MOST: usize = 60_000;

/// A character as the interpreter knows it.
pub struct Character {
    pub is_alphanumeric: bool,
    pub is_decimal: bool,
    pub lower: String,
    /// Of each character that it decomposes into, marks left out: whether it is of a word, and its lower case.
    pub plain: Vec<(bool, String)>,
    /// Whether it is the same in every word; only the reference can tell of a run that holds another.
    is_regular: bool,
}

/// The characters that were met.
pub struct Characters {
    known: HashMap<char, Character>,
    described: Py<PyAny>,
}

impl Characters {
    pub fn new(described: Py<PyAny>) -> Self {
        Self { known: HashMap::default(), described }
    }

    /// Learn the characters of some texts; the runs among them that only the reference can take apart.
    pub fn learn<'text>(
        &mut self,
        py: Python<'_>,
        texts: impl Iterator<Item = &'text str>,
    ) -> PyResult<Vec<&'text str>> {
        if self.known.len() > MOST {
            self.known.clear();
        }
        let mut irregular = Vec::new();
        for text in texts.filter(|text| !text.is_ascii()) {
            let mut is_regular = true;
            for character in text.chars().filter(|character| !character.is_ascii()) {
                if !self.known.contains_key(&character) {
                    let (is_alphanumeric, is_decimal, lower, plain, is_regular) =
                        self.described.call1(py, (character,))?.extract(py)?;
                    let found = Character { is_alphanumeric, is_decimal, lower, plain, is_regular };
                    self.known.insert(character, found);
                }
                is_regular = is_regular && self.known[&character].is_regular;
            }
            if !is_regular {
                let odd = |each: char| self.known.get(&each).is_some_and(|found| !found.is_regular);
                each_run(text, |run| irregular.extend(run.contains(odd).then_some(run)));
            }
        }
        Ok(irregular)
    }

    /// A character beyond ASCII that was learnt.
    pub fn of(&self, character: char) -> &Character {
        &self.known[&character]
    }
}
