//! What kinds of nodes are for values, as tables of one grammar.
//! Reference: `cairn.syntax.valuekinds`, which is taken as data.

use std::collections::{HashMap, HashSet};

use pyo3::prelude::*;
use tree_sitter::{Language, Node};

type Words = HashSet<String>;
type Fields = Vec<u16>;

/// The tables of `cairn.syntax.valuekinds`.
#[derive(FromPyObject)]
#[pyo3(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct ValueKinds {
    chains: HashMap<String, (String, Vec<String>, Vec<String>)>,
    heads: Words,
    literals: Words,
    objects: Words,
    collections: Words,
    pub nothing: Words,
    pub same_signs: Words,
    pub not_signs: Words,
    pub comparing: Words,
    pub plain: Words,
    either: Words,
    pub either_signs: Words,
    one: Vec<String>,
    other: Vec<String>,
    targets: Vec<String>,
    values: Vec<String>,
    assigns: Words,
    shares_type: Words,
    updates: Words,
    loops: Words,
    parameters: Words,
    closures: Words,
    catches: Words,
    tests: Words,
    pub both_signs: Words,
    pub is_tests: Words,
    returns: Words,
    yields: Words,
    bodies: Words,
    paths: Words,
    pub untyped: Words,
    blocks_of_callers: Words,
    pub spaces: Words,
    wraps: Words,
    declarators: Words,
    lists: Words,
    sequences: Words,
    spreads: Words,
    pub opened: Words,
    no_values: Vec<String>,
}

/// What a node is in a chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum What {
    Member,
    Call,
    Index,
    Same,
    Last,
    Signed,
    Assigned,
    Cast,
    Path,
    Beyond,
    Bound,
}

/// What a node is in a chain, and the fields of what it is made from and of its name.
pub struct Rule {
    pub what: What,
    pub bases: Fields,
    pub names: Fields,
    /// Whether it has a name in some grammar.
    pub is_named: bool,
}

/// Which flows a node may tell of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    None,
    Assigns,
    Updates,
    Loops,
    Catches,
    Parameters,
    Declares,
    Enters,
    Matches,
    Switches,
    Tests,
    Instances,
    Returns,
    Yields,
    Shows,
}

/// Bits of kinds.
pub mod is {
    pub const HEAD: u32 = 1;
    pub const LITERAL: u32 = 1 << 1;
    pub const COLLECTION: u32 = 1 << 2;
    pub const EITHER: u32 = 1 << 3;
    pub const SHARES_TYPE: u32 = 1 << 4;
    pub const WRAP: u32 = 1 << 5;
    pub const DECLARATOR: u32 = 1 << 6;
    pub const LIST: u32 = 1 << 7;
    pub const SEQUENCE: u32 = 1 << 8;
    pub const SPREAD: u32 = 1 << 9;
    pub const NO_VALUE: u32 = 1 << 10;
    pub const PATH: u32 = 1 << 11;
    pub const CLOSURE: u32 = 1 << 13;
    /// One whose `return` is its own.
    pub const FUNCTION: u32 = 1 << 12;
}

struct Kind {
    rule: Option<Rule>,
    mode: Mode,
    bits: u32,
}

/// The tables of one grammar.
pub struct Values {
    pub kinds: ValueKinds,
    by_number: Vec<Kind>,
    pub one: Fields,
    pub other: Fields,
    pub targets: Fields,
    pub values: Fields,
    pub signs: Fields,
    pub subscript: Fields,
    pub kind: Fields,
}

impl Values {
    pub fn new(language: &Language, kinds: ValueKinds, functions: &Words) -> Self {
        let fields = |names: &[String]| -> Fields {
            names.iter().filter_map(|name| language.field_id_for_name(name)).map(std::num::NonZero::get).collect()
        };
        let field = |names: &[&str]| fields(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let names = (0..language.node_kind_count()).map(|id| language.node_kind_for_id(id as u16).unwrap_or_default());
        let by_number = names
            .chain(std::iter::once("ERROR"))
            .map(|name| Kind {
                rule: kinds.chains.get(name).map(|(what, bases, names)| Rule {
                    what: what_of(what),
                    bases: fields(bases),
                    names: fields(names),
                    is_named: !names.is_empty(),
                }),
                mode: mode_of(name, &kinds),
                bits: bits_of(name, &kinds, functions),
            })
            .collect();
        Self {
            by_number,
            one: fields(&kinds.one),
            other: fields(&kinds.other),
            targets: fields(&kinds.targets),
            values: fields(&kinds.values),
            signs: field(&["operator", "operation"]),
            subscript: field(&["subscript"]),
            kind: field(&["type"]),
            kinds,
        }
    }

    fn of(&self, node: Node) -> &Kind {
        let number = usize::from(node.kind_id());
        &self.by_number[number.min(self.by_number.len() - 1)]
    }

    pub fn rule(&self, node: Node) -> Option<&Rule> {
        self.of(node).rule.as_ref()
    }

    /// Which flows a node may tell of, and whether it is a function whose `return` is its own.
    pub fn role(&self, node: Node) -> (Mode, bool) {
        let kind = self.of(node);
        (kind.mode, kind.bits & is::FUNCTION != 0)
    }

    pub fn is(&self, node: Node, bits: u32) -> bool {
        self.of(node).bits & bits != 0
    }
}

fn what_of(said: &str) -> What {
    match said {
        "member" => What::Member,
        "call" => What::Call,
        "index" => What::Index,
        "same" => What::Same,
        "last" => What::Last,
        "signed" => What::Signed,
        "assigned" => What::Assigned,
        "cast" => What::Cast,
        "path" => What::Path,
        "beyond" => What::Beyond,
        _ => What::Bound,
    }
}

fn mode_of(kind: &str, kinds: &ValueKinds) -> Mode {
    let sets = [
        (&kinds.assigns, Mode::Assigns),
        (&kinds.updates, Mode::Updates),
        (&kinds.loops, Mode::Loops),
        (&kinds.catches, Mode::Catches),
        (&kinds.parameters, Mode::Parameters),
        (&kinds.tests, Mode::Tests),
        (&kinds.returns, Mode::Returns),
        (&kinds.yields, Mode::Yields),
        (&kinds.bodies, Mode::Shows),
    ];
    match kind {
        "declaration" => Mode::Declares,
        "with_item" => Mode::Enters,
        "case_pattern" => Mode::Matches,
        "type_switch_statement" => Mode::Switches,
        "instanceof_expression" => Mode::Instances,
        _ => sets.iter().find(|each| each.0.contains(kind)).map_or(Mode::None, |each| each.1),
    }
}

fn bits_of(kind: &str, kinds: &ValueKinds, functions: &Words) -> u32 {
    let sets = [
        (&kinds.heads, is::HEAD),
        (&kinds.literals, is::LITERAL),
        (&kinds.collections, is::COLLECTION),
        (&kinds.either, is::EITHER),
        (&kinds.shares_type, is::SHARES_TYPE),
        (&kinds.wraps, is::WRAP),
        (&kinds.declarators, is::DECLARATOR),
        (&kinds.lists, is::LIST),
        (&kinds.sequences, is::SEQUENCE),
        (&kinds.spreads, is::SPREAD),
        (&kinds.paths, is::PATH),
        (&kinds.closures, is::CLOSURE),
    ];
    let listed = sets.iter().filter(|each| each.0.contains(kind)).fold(0, |bits, each| bits | each.1);
    let literal = kind.ends_with("_literal") && !kinds.objects.contains(kind);
    let no_value = kinds.no_values.iter().any(|end| kind.ends_with(end.as_str()));
    let function = functions.contains(kind) && !kinds.blocks_of_callers.contains(kind);
    let ruled = [(literal, is::LITERAL), (no_value, is::NO_VALUE), (function, is::FUNCTION)];
    ruled.iter().filter(|each| each.0).fold(listed, |bits, each| bits | each.1)
}

/// What a node has in the first of some fields that it has.
pub fn field_of<'tree>(node: Node<'tree>, fields: &[u16]) -> Option<Node<'tree>> {
    fields.iter().find_map(|&field| node.child_by_field_id(field))
}

/// The same of one field by its name.
pub fn named_field<'tree>(node: Node<'tree>, names: &[&str]) -> Option<Node<'tree>> {
    names.iter().find_map(|name| node.child_by_field_name(name))
}

/// The children of a node that are more than signs, without comments.
pub fn inside<'tree>(node: Node<'tree>) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The first of them.
pub fn first_named(node: Node) -> Option<Node> {
    (0..node.named_child_count()).filter_map(|at| node.named_child(at)).find(|child| !child.is_extra())
}

/// The last of them.
pub fn last_named(node: Node) -> Option<Node> {
    (0..node.named_child_count()).rev().filter_map(|at| node.named_child(at)).find(|child| !child.is_extra())
}

/// The only thing in a node; None where there are several, or a comma says that it is one of several.
pub fn only_in(node: Node) -> Option<Node> {
    let mut found = None;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        if child.kind() == "," {
            return None;
        }
        if child.is_named() && !child.is_extra() && found.replace(child).is_some() {
            return None;
        }
    }
    found
}
