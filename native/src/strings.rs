//! The texts of a file's rows, each once; and columns of them as stored blocks have them.

use std::borrow::Cow;

use crate::hashing::HashMap;

/// Texts by number, in the order in which they were met.
#[derive(Default)]
pub struct Strings<'a> {
    known: HashMap<Cow<'a, str>, u32>,
    all: Vec<Cow<'a, str>>,
}

impl<'a> Strings<'a> {
    /// The number of a text.
    pub fn number(&mut self, text: Cow<'a, str>) -> u32 {
        if let Some(&number) = self.known.get(&*text) {
            return number;
        }
        let number = self.all.len() as u32;
        self.all.push(text.clone());
        self.known.insert(text, number);
        number
    }

    pub fn text(&self, number: u32) -> &str {
        &self.all[number as usize]
    }
}

/// The block of some columns of equal length, not compressed: that of `pack_columns` of the reference.
pub fn packed(strings: &Strings, texts: &[Vec<u32>], numbers: &[Vec<u32>]) -> Vec<u8> {
    let rows = texts.first().map_or(0, Vec::len);
    if rows == 0 {
        return Vec::new();
    }
    // A block's own numbers are in the order of its columns.
    let mut renumbered: Vec<Option<u32>> = vec![None; strings.all.len()];
    let mut used: Vec<&str> = Vec::new();
    let mut body: Vec<u8> = Vec::with_capacity(4 * rows * (texts.len() + numbers.len()));
    for &number in texts.iter().flatten() {
        let place = renumbered[number as usize].get_or_insert_with(|| {
            used.push(strings.text(number));
            used.len() as u32 - 1
        });
        body.extend(place.to_le_bytes());
    }
    body.extend(numbers.iter().flatten().flat_map(|number| number.to_le_bytes()));
    let head = [rows, texts.len(), numbers.len(), used.len()];
    let mut block: Vec<u8> = head.iter().flat_map(|&number| (number as u32).to_le_bytes()).collect();
    block.append(&mut body);
    block.extend(used.iter().flat_map(|text| (text.chars().count() as u32).to_le_bytes()));
    block.extend(used.iter().flat_map(|text| text.bytes()));
    block
}
