//! Names of files turned into files of names. Reference: `cairn.kernel.turning`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::hashing::HashMap;

/// Columns of a file: name and receiver; line, column, what, bound, within, function.
const TEXTS: usize = 2;
const NUMBERS: usize = 6;
const NAME: usize = 0;
const RECEIVER: usize = 1;
const LINE: usize = 2;

/// The rows of some files, column by column: those of a file with their strings as numbers, and last the file.
#[derive(Default)]
struct Rows<'a> {
    strings: Vec<&'a str>,
    known: HashMap<&'a str, u32>,
    columns: [Vec<u32>; TEXTS + NUMBERS],
    files: Vec<u32>,
}

/// A block of some names, with the first of them and its first file.
struct Block {
    name: String,
    file: u32,
    data: Vec<u8>,
}

fn numbers(data: &[u8]) -> impl Iterator<Item = u32> {
    data.chunks_exact(4).map(|each| u32::from_le_bytes([each[0], each[1], each[2], each[3]]))
}

impl<'a> Rows<'a> {
    /// Take in the columns of a file; None where they aren't such.
    fn add(&mut self, file: u32, data: &'a [u8]) -> Option<()> {
        if data.is_empty() {
            return Some(());
        }
        let (head, data) = data.split_at_checked(16)?;
        let [rows, texts, others, count] = <[u32; 4]>::try_from(numbers(head).collect::<Vec<_>>()).ok()?;
        if (texts as usize, others as usize) != (TEXTS, NUMBERS) {
            return None;
        }
        let (rows, count) = (rows as usize, count as usize);
        let (cells, data) = data.split_at_checked(rows.checked_mul(4 * (TEXTS + NUMBERS))?)?;
        let (sizes, text) = data.split_at_checked(count.checked_mul(4)?)?;
        let mut rest = std::str::from_utf8(text).ok()?;
        let mut ids = Vec::with_capacity(count);
        for size in numbers(sizes) {
            let size = size as usize;
            let end = match rest.get(..size) {
                Some(start) if start.is_ascii() => size,
                _ => rest.char_indices().map(|(at, _)| at).chain([rest.len()]).nth(size)?,
            };
            let (one, others) = rest.split_at(end);
            rest = others;
            ids.push(*self.known.entry(one).or_insert_with(|| {
                self.strings.push(one);
                self.strings.len() as u32 - 1
            }));
        }
        if !rest.is_empty() {
            return None;
        }
        for (place, (column, cells)) in self.columns.iter_mut().zip(cells.chunks_exact(4 * rows)).enumerate() {
            if place < TEXTS {
                for cell in numbers(cells) {
                    column.push(*ids.get(cell as usize)?);
                }
            } else {
                column.extend(numbers(cells));
            }
        }
        self.files.resize(self.files.len() + rows, file);
        Some(())
    }

    /// All rows in the order of their names, cut into blocks of so many and those of the last name and file.
    fn blocks(&mut self, most: usize) -> Vec<Block> {
        let mut ordered: Vec<u32> = (0..self.strings.len() as u32).collect();
        ordered.sort_unstable_by_key(|&id| self.strings[id as usize]);
        let mut ranks = vec![0; ordered.len()];
        for (rank, &id) in ordered.iter().enumerate() {
            ranks[id as usize] = rank as u32;
        }
        let strings: Vec<&str> = ordered.iter().map(|&id| self.strings[id as usize]).collect();
        for column in &mut self.columns[..TEXTS] {
            column.iter_mut().for_each(|id| *id = ranks[*id as usize]);
        }
        // Those of one name stay in the order in which they came.
        let mut starts = vec![0; strings.len() + 1];
        for &name in &self.columns[NAME] {
            starts[name as usize + 1] += 1;
        }
        for rank in 0..strings.len() {
            starts[rank + 1] += starts[rank];
        }
        let mut order = vec![0; self.files.len()];
        for (row, &name) in self.columns[NAME].iter().enumerate() {
            order[starts[name as usize]] = row;
            starts[name as usize] += 1;
        }
        let mut blocks = Vec::new();
        let mut first = 0;
        while first < order.len() {
            let mut last = order.len().min(first + most.max(1));
            while last < order.len() && self.same_file(order[last - 1], order[last]) {
                last += 1;
            }
            blocks.push(self.block(&strings, &order[first..last]));
            first = last;
        }
        blocks
    }

    fn same_name(&self, one: usize, other: usize) -> bool {
        self.columns[NAME][one] == self.columns[NAME][other]
    }

    fn same_file(&self, one: usize, other: usize) -> bool {
        self.same_name(one, other) && self.files[one] == self.files[other]
    }

    fn block(&self, strings: &[&str], rows: &[usize]) -> Block {
        let column = |number: usize| rows.iter().map(move |&row| self.columns[number][row]);
        let mut names: Vec<(u32, u32)> = Vec::new();
        for name in column(NAME) {
            match names.last_mut() {
                Some(last) if last.0 == name => last.1 += 1,
                _ => names.push((name, 1)),
            }
        }
        let mut receivers: Vec<u32> = column(RECEIVER).collect();
        receivers.sort_unstable();
        receivers.dedup();
        let step = |values: &[u32], goes_on: &dyn Fn(usize, usize) -> bool| -> Vec<u32> {
            let before = std::iter::once(None).chain(rows.iter().map(|&row| Some(row)));
            let pairs = before.zip(rows);
            pairs
                .map(|(before, &row)| {
                    let from = before.filter(|&before| goes_on(before, row)).map_or(0, |before| values[before]);
                    values[row].wrapping_sub(from)
                })
                .collect()
        };
        let mut columns = vec![
            step(&self.files, &|one, other| self.same_name(one, other)),
            step(&self.columns[LINE], &|one, other| self.same_file(one, other)),
        ];
        columns.extend((LINE + 1..TEXTS + NUMBERS).map(|number| column(number).collect()));
        let place = |receiver: u32| receivers.partition_point(|&each| each < receiver) as u32;
        columns.push(column(RECEIVER).map(place).collect());
        let said: Vec<&str> = names
            .iter()
            .map(|name| name.0)
            .chain(receivers.iter().copied())
            .map(|rank| strings[rank as usize])
            .collect();
        let head = [rows.len() as u32, names.len() as u32, receivers.len() as u32];
        let sizes = said.iter().map(|text| text.chars().count() as u32);
        let numbers = head.into_iter().chain(names.iter().map(|name| name.1)).chain(sizes);
        let mut data: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
        for column in columns {
            for plane in 0..4 {
                data.extend(column.iter().map(|value| value.to_le_bytes()[plane]));
            }
        }
        said.iter().for_each(|text| data.extend_from_slice(text.as_bytes()));
        Block { name: said[0].to_owned(), file: self.files[rows[0]], data }
    }
}

/// Of each block of names, in order: its first name, the first file of that, and its bytes.
#[pyfunction]
pub fn turned<'py>(
    py: Python<'py>,
    files: Vec<u32>,
    joined: Vec<Bound<'py, PyBytes>>,
    block_rows: usize,
) -> PyResult<Vec<(String, u32, Bound<'py, PyBytes>)>> {
    let joined: Vec<&[u8]> = joined.iter().map(|each| each.as_bytes()).collect();
    let blocks = py.detach(|| {
        let mut rows = Rows::default();
        for (&file, data) in files.iter().zip(&joined) {
            rows.add(file, data)?;
        }
        Some(rows.blocks(block_rows))
    });
    let blocks = blocks.ok_or_else(|| PyValueError::new_err("columns that aren't those of names"))?;
    Ok(blocks.into_iter().map(|block| (block.name, block.file, PyBytes::new(py, &block.data))).collect())
}
