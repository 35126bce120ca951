//! What a language's own query says about names: which are those of definitions, which are called.
//! Reference: `cairn.syntax.marks`.

use crate::define::{Definitions, bare};
use crate::definitions::{qualify, sort};
use crate::hashing::{HashMap, HashSet};
use crate::matches::{Head, Matched};
use crate::rules::Rules;
use crate::shapes::Kinds;
use crate::source::Source;
use crate::text::Unsure;

/// The name of a definition, at its place.
pub struct DefinitionName<'a> {
    pub start: usize,
    pub end: usize,
    pub name: String,
    pub kind: &'a str,
    pub leaf: bool,
}

/// A definition that holds others or code.
pub struct Holder<'a> {
    /// The place of its name.
    name_at: usize,
    pub start: usize,
    end: usize,
    pub kind: &'a str,
    pub qualified: String,
}

/// What the query says of a file's names.
pub struct Marks<'a> {
    pub names: HashMap<usize, DefinitionName<'a>>,
    /// Where names that are called begin and end.
    pub calls: HashMap<usize, usize>,
    /// The outer ones first.
    pub holders: Vec<Holder<'a>>,
}

impl<'a> Marks<'a> {
    pub fn new(rules: &'a Rules, kinds: &Kinds, found: &Matched<'a, '_>, source: &Source<'a>) -> Result<Self, Unsure> {
        let mut names = HashMap::default();
        let mut accessors: HashSet<usize> = HashSet::default();
        let mut definitions =
            Definitions { rules, source, wrapped: &found.wrapped, found: Vec::new(), keys: HashMap::default() };
        for head in &found.heads {
            if !head.is_scope {
                note_name(&mut names, head, source)?;
                if head.kind == "property" && head.node.child_by_field_name("body").is_some() {
                    accessors.insert(head.name.start_byte());
                }
            }
            definitions.define(head)?;
        }
        let mut calls: HashMap<usize, usize> = found.calls.iter().copied().collect();
        for key in definitions.keys.keys() {
            calls.remove(&key.0); // some grammars write a definition's head as a call
        }
        let mut ordered = definitions.found;
        sort(&mut ordered);
        qualify(&mut ordered);
        let holders = ordered
            .into_iter()
            .filter(|item| kinds.holders.contains(item.kind) || accessors.contains(&item.name_at))
            .map(|item| Holder {
                name_at: item.name_at,
                start: item.start,
                end: item.end,
                kind: item.kind,
                qualified: item.qualified,
            })
            .collect();
        Ok(Self { names, calls, holders })
    }

    /// For each of some sorted places, the innermost holder around it that doesn't have its name there.
    pub fn within(&self, places: impl Iterator<Item = usize>) -> Vec<Option<usize>> {
        let mut stack: Vec<usize> = Vec::new();
        let mut begun = 0;
        let around = |at: usize| {
            while self.holders.get(begun).is_some_and(|holder| holder.start <= at) {
                stack.push(begun);
                begun += 1;
            }
            while stack.last().is_some_and(|&last| self.holders[last].end <= at) {
                stack.pop();
            }
            let holds = |&&number: &&usize| self.holders[number].end > at && self.holders[number].name_at != at;
            stack.iter().rev().find(holds).copied()
        };
        places.map(around).collect()
    }

    /// The last holder that begins before a place and hasn't ended there.
    pub fn around(&self, at: usize) -> Option<&Holder<'a>> {
        let begun = self.holders.partition_point(|holder| holder.start <= at);
        self.holders[..begun].iter().rfind(|holder| at < holder.end)
    }
}

fn note_name<'a>(
    names: &mut HashMap<usize, DefinitionName<'a>>,
    head: &Head<'a, '_>,
    source: &Source<'a>,
) -> Result<(), Unsure> {
    let node = head.name;
    if !node.is_named() {
        return Ok(()); // a keyword that stands for a name: `constructor`, `default`
    }
    let written = source.text_of(node);
    let name = bare(&written)?;
    let start = match written.len() - name.len() {
        0 => node.start_byte(),
        _ if written.starts_with(['"', '\'']) => node.start_byte() + 1,
        taken => node.start_byte() + taken,
    };
    names.entry(start).or_insert_with(|| DefinitionName {
        start,
        end: start + name.len(),
        name: name.to_owned(),
        kind: head.kind,
        leaf: node.child_count() == 0,
    });
    Ok(())
}
