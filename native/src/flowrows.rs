//! The flows of a file, packed into columns. Reference: `cairn.syntax.flows`.

use std::borrow::Cow;

use tree_sitter::Tree;

use crate::chains::Chains;
use crate::flows::{RETURN, Reader, YIELD};
use crate::hashing::HashMap;
use crate::marks::Marks;
use crate::shapes::Shapes;
use crate::source::Source;
use crate::strings::{Strings, packed};
use crate::uses::nearest;
use crate::values::Values;

struct Row {
    target: u32,
    value: u32,
    within: u32,
    line: usize,
    column: usize,
    end_line: usize,
}

/// All flows of a file, row by row.
pub struct FlowRows<'a> {
    strings: Strings<'a>,
    rows: Vec<Row>,
}

/// The flows of a tree, in order of place.
pub fn flow_rows<'a>(
    values: &Values,
    shapes: &Shapes,
    tree: &Tree,
    marks: &Marks<'a>,
    source: &Source<'a>,
) -> FlowRows<'a> {
    let mut found = Reader::new(Chains { values, shapes, source }).read(tree);
    found.sort_by_key(|flow| flow.at);
    let mut strings = Strings::default();
    let mut rows = Vec::with_capacity(found.len());
    let around = marks.within(found.iter().map(|flow| flow.at));
    let empty = strings.number("".into());
    let mut known: HashMap<usize, u32> = HashMap::default();
    let mut written: HashMap<Cow<str>, Vec<usize>> = HashMap::default();
    if found.iter().any(|flow| flow.end > 0) {
        for flow in found.iter().filter(|flow| flow.end == 0) {
            written.entry(flow.target.clone()).or_default().push(flow.at);
        }
    }
    for (flow, within) in found.into_iter().zip(around) {
        if flow.target == RETURN || flow.target == YIELD {
            // What is given back inside of a function without a name isn't given back by that around it.
            let holder = marks.around(flow.at).filter(|holder| !values.kinds.spaces.contains(holder.kind));
            if holder.is_none_or(|holder| flow.around.is_some_and(|around| around >= holder.start)) {
                continue;
            }
        }
        let is_inside = |&at: &usize| flow.at <= at && at < flow.end;
        if flow.end > 0 && written.get(&flow.target).is_some_and(|places| places.iter().any(is_inside)) {
            continue; // it may be something else there, too
        }
        let row = source.row(flow.at);
        rows.push(Row {
            target: strings.number(flow.target),
            value: strings.number(flow.value),
            within: within.map_or(empty, |holder| {
                let name = || strings.number(marks.holders[holder].qualified.clone().into());
                *known.entry(holder).or_insert_with(name)
            }),
            line: row + 1,
            column: flow.at - source.lines[row],
            end_line: if flow.end > 0 { source.row(flow.end - 1) + 1 } else { 0 },
        });
    }
    FlowRows { strings, rows }
}

impl FlowRows<'_> {
    /// Their block, as `cairn.syntax.flows` tells of it.
    pub fn block(&self) -> Vec<u8> {
        let texts = [self.column(|row| row.target), self.column(|row| row.value), self.column(|row| row.within)];
        packed(&self.strings, &texts, &self.numbers())
    }

    /// The same with the definitions around flows as numbers, of which `places` tells by their qualified names.
    pub fn placed(&self, places: &HashMap<&str, u32>) -> Vec<u8> {
        let mut known: HashMap<u32, u32> = HashMap::default();
        let mut place =
            |number: u32| *known.entry(number).or_insert_with(|| nearest(places, self.strings.text(number)));
        let mut numbers = self.numbers();
        numbers.push(self.rows.iter().map(|row| place(row.within)).collect());
        packed(&self.strings, &[self.column(|row| row.target), self.column(|row| row.value)], &numbers)
    }

    fn column(&self, value: fn(&Row) -> u32) -> Vec<u32> {
        self.rows.iter().map(value).collect()
    }

    /// Line, column, end_line.
    fn numbers(&self) -> Vec<Vec<u32>> {
        vec![
            self.column(|row| row.line as u32),
            self.column(|row| row.column as u32),
            self.column(|row| row.end_line as u32),
        ]
    }
}
