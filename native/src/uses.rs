//! The rows of a file's names, packed into columns. Reference: `cairn.syntax.blocks`.

use pyo3::prelude::*;
use tree_sitter::{Parser, Tree};

use crate::flowrows::{FlowRows, flow_rows};
use crate::hashing::HashMap;
use crate::macros::words_in;
use crate::marks::Marks;
use crate::matches::Matched;
use crate::occurrences::Names;
use crate::quoted::names_in;
use crate::rules::Rules;
use crate::scopes::{ScopeKind, Scopes};
use crate::shapes::Shapes;
use crate::source::Source;
use crate::strings::{Strings, packed};
use crate::text::Unsure;
use crate::ties::Ties;
use crate::values::Values;
use crate::ways::walk;

const LOCAL: u32 = 1 << 3;
const KEYWORD: u32 = 1 << 4;
const QUOTED: u32 = 1 << 5;
const TIE: u32 = 6;
const AGAIN: u32 = 1 << 9;
const REBINDS: u32 = 1 << 10;
const SHORTHAND: u32 = 1 << 11;
const BARE: u32 = 1 << 12;
const THIS: u32 = 6;

/// What is needed to read the names of a grammar's files.
pub struct NameRules {
    pub shapes: Shapes,
    pub values: Values,
    /// Whether annotations may be written in quotes.
    pub asks_quoted: bool,
    /// `unicodedata.normalize("NFC", text)`
    pub normalized: Py<PyAny>,
}

/// A row, all but the numbers of scopes.
#[derive(Default)]
struct Row {
    line: usize,
    column: usize,
    what: u32,
    name: u32,
    receiver: u32,
    within: u32,
    function: u32,
    /// Where a local name is bound.
    bound: Option<(ScopeKind, usize, usize)>,
}

/// All names of a file, row by row, and how values flow to them.
pub struct NameRows<'a> {
    strings: Strings<'a>,
    rows: Vec<Row>,
    pub flows: FlowRows<'a>,
}

/// The rows of all names of a file.
pub fn rows_of<'a>(
    names: &NameRules,
    rules: &'a Rules,
    parser: &mut Parser,
    tree: &Tree,
    found: &Matched<'a, '_>,
    source: &Source<'a>,
) -> Result<NameRows<'a>, Unsure> {
    let shapes = &names.shapes;
    let marks = Marks::new(rules, &shapes.kinds, found, source)?;
    let mut read = Names {
        source,
        values: &names.values,
        marks: &marks,
        scopes: Scopes::new(shapes, source.data.len()),
        strings: Strings::default(),
        found: Vec::new(),
        quoted: Vec::new(),
        bodies: Vec::new(),
        this: Vec::new(),
        asks_quoted: names.asks_quoted,
        normalized: &names.normalized,
    };
    walk(shapes, tree, &mut read)?;
    read.add_named_otherwise();
    let mut strings = std::mem::take(&mut read.strings);
    let mut rows = uses(&read, &mut strings);
    quoted(&read, parser, &mut strings, &mut rows)?;
    let empty = strings.number("".into());
    let this = strings.number("this".into());
    for each in &read.this {
        // The name of its class is no qualified one, as those of functions are.
        let receiver = strings.number(each.class.clone());
        let what = THIS | (each.tied as u32) << TIE;
        let (line, column) = (each.line, each.column);
        rows.push(Row { line, column, what, name: this, receiver, within: empty, function: empty, bound: None });
    }
    rows.sort_by_key(|row| (row.line, row.column, row.what & 7 == THIS));
    let flows = flow_rows(&names.values, shapes, tree, &marks, source);
    Ok(NameRows { strings, rows, flows })
}

fn uses<'a>(read: &Names<'_, 'a>, strings: &mut Strings<'a>) -> Vec<Row> {
    let ties = Ties::new(read);
    let empty = strings.number("".into());
    let mut rows = Vec::with_capacity(read.found.len());
    let around = read.marks.within(read.found.iter().map(|one| one.start));
    let mut known: HashMap<usize, u32> = HashMap::default();
    for (one, within) in read.found.iter().zip(around) {
        let meant = read.meaning(one).filter(|meant| meant.1.local);
        let tie = ties.of(one);
        let function = tie.as_ref().map_or("", |tie| tie.function);
        let bits = [
            (meant.is_some(), LOCAL),
            (one.keyword, KEYWORD),
            (tie.as_ref().is_some_and(|tie| tie.again), AGAIN),
            (ties.rebinds(one), REBINDS),
            (one.shorthand, SHORTHAND),
            (one.bare, BARE),
        ];
        let tied = tie.as_ref().map_or(0, |tie| tie.tied as u32);
        rows.push(Row {
            line: one.line,
            column: one.column,
            what: bits.iter().filter(|bit| bit.0).fold(one.role as u32 | tied << TIE, |what, bit| what | bit.1),
            name: one.name,
            receiver: one.receiver,
            within: within.map_or(empty, |holder| {
                let name = || strings.number(read.marks.holders[holder].qualified.clone().into());
                *known.entry(holder).or_insert_with(name)
            }),
            function: if function.is_empty() { empty } else { strings.number(function.to_owned().into()) },
            bound: meant.filter(|_| !one.parameter).map(|(scope, _)| {
                let scope = read.scopes.of(scope);
                (scope.kind, scope.start, scope.end)
            }),
        });
    }
    rows
}

fn quoted<'a>(
    read: &Names<'_, 'a>,
    parser: &mut Parser,
    strings: &mut Strings<'a>,
    rows: &mut Vec<Row>,
) -> Result<(), Unsure> {
    let empty = strings.number("".into());
    let mut found = Vec::new();
    for each in &read.quoted {
        found.extend(names_in(parser, read.source, each)?);
    }
    for each in &read.bodies {
        found.extend(words_in(read.source, each, &read.scopes.shapes.kinds.c_words));
    }
    let around = read.marks.within(found.iter().map(|each| each.at));
    for (each, within) in found.into_iter().zip(around) {
        let row = read.source.row(each.at);
        let name = strings.number(each.name.into());
        let hidden = each.local || (read.asks_quoted && each.receiver.is_empty() && read.scopes.hides(name, each.at));
        rows.push(Row {
            line: row + 1,
            column: each.at - read.source.lines[row],
            what: each.role as u32 | QUOTED | if hidden { LOCAL } else { 0 },
            name,
            receiver: strings.number(each.receiver),
            within: within.map_or(empty, |holder| strings.number(read.marks.holders[holder].qualified.clone().into())),
            function: empty,
            bound: None,
        });
    }
    Ok(())
}

impl NameRows<'_> {
    /// Their block, as `cairn.syntax.blocks` tells of it.
    pub fn block(&self) -> Vec<u8> {
        let texts = [
            self.column(|row| row.name),
            self.column(|row| row.receiver),
            self.column(|row| row.within),
            self.column(|row| row.function),
        ];
        packed(&self.strings, &texts, &self.numbers())
    }

    /// The same with the definitions around names as numbers, of which `places` tells by their qualified names: what a
    /// segment takes in.
    pub fn placed(&self, places: &HashMap<&str, u32>) -> Vec<u8> {
        let mut known: Vec<Option<u32>> = Vec::new();
        let mut place = |number: u32| {
            if known.len() <= number as usize {
                known.resize(number as usize + 1, None);
            }
            *known[number as usize].get_or_insert_with(|| nearest(places, self.strings.text(number)))
        };
        let mut numbers = self.numbers();
        numbers.push(self.rows.iter().map(|row| place(row.within)).collect());
        numbers.push(self.rows.iter().map(|row| place(row.function)).collect());
        packed(&self.strings, &[self.column(|row| row.name), self.column(|row| row.receiver)], &numbers)
    }

    fn column(&self, value: fn(&Row) -> u32) -> Vec<u32> {
        self.rows.iter().map(value).collect()
    }

    /// Line, column, what, bound.
    fn numbers(&self) -> Vec<Vec<u32>> {
        let mut scopes: HashMap<(ScopeKind, usize, usize), u32> = HashMap::default();
        let bounds = self.rows.iter().map(|row| {
            row.bound.map_or(0, |bound| {
                let next = scopes.len() as u32 + 1;
                *scopes.entry(bound).or_insert(next)
            })
        });
        let bounds = bounds.collect();
        vec![
            self.column(|row| row.line as u32),
            self.column(|row| row.column as u32),
            self.column(|row| row.what),
            bounds,
        ]
    }
}

/// The place of a definition, or of the nearest around it that is known.
pub fn nearest(places: &HashMap<&str, u32>, mut name: &str) -> u32 {
    loop {
        match places.get(name) {
            Some(&place) => return place,
            None if name.is_empty() => return 0,
            None => name = name.rsplit_once('.').map_or("", |parts| parts.0),
        }
    }
}
