//! What kinds of nodes are for names, as tables of one grammar.
//! Reference: `cairn.syntax.kinds` and `cairn.languages.scoping`, which are taken as data.

use std::collections::{HashMap, HashSet};

use pyo3::prelude::*;
use tree_sitter::{Language, Node};

type Words = HashSet<String>;
type Pairs = HashSet<(String, String)>;

/// How a language binds names: its record.
#[derive(FromPyObject)]
pub struct Scoping {
    pub functions: Words,
    blocks: Words,
    spaces: Words,
    binders: HashMap<(String, String), String>,
    bodies: HashMap<String, Words>,
    outside: Pairs,
    prototypes: Words,
    opaque: Words,
    pub members_seen_within: bool,
    pub called_apart: bool,
    pub hoisted: bool,
    pub constants_in_patterns: bool,
    pub variables: String,
    pub templates: bool,
    pub cut_at: HashMap<String, String>,
}

/// The tables of `cairn.syntax.kinds`.
#[derive(FromPyObject)]
#[pyo3(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct Kinds {
    names: Words,
    imports: Words,
    types: Words,
    type_fields: Words,
    values: Words,
    value_fields: Words,
    connectors: Words,
    suffixes: Words,
    navigations: Words,
    flat: Words,
    qualified_heads: Words,
    member_fields: Words,
    through: HashMap<String, Words>,
    writes: Pairs,
    steps: Words,
    declarations: Vec<String>,
    keys: Pairs,
    only_direct: Words,
    from_its_name: Words,
    never_bare: Words,
    labels: Words,
    declaring: Words,
    declarators: Words,
    unbound: Words,
    class_fields: Words,
    strings: Words,
    in_annotations: Words,
    pub macros: Words,
    pub c_words: Words,
    /// Of definitions, as are the next two.
    pub holders: Words,
    pub members: Words,
    pub defined: Words,
}

/// Bits of kinds.
pub mod is {
    pub const FUNCTION: u64 = 1;
    pub const SPACE: u64 = 1 << 1;
    pub const BLOCK: u64 = 1 << 2;
    pub const PROTOTYPE: u64 = 1 << 3;
    pub const OPAQUE: u64 = 1 << 4;
    pub const WITH_BODIES: u64 = 1 << 5;
    pub const NAME: u64 = 1 << 6;
    pub const IDENTIFIER: u64 = 1 << 7;
    pub const IMPORT: u64 = 1 << 8;
    pub const TYPE: u64 = 1 << 9;
    pub const VALUE: u64 = 1 << 10;
    pub const CONNECTOR: u64 = 1 << 11;
    pub const SUFFIX: u64 = 1 << 12;
    pub const NAVIGATION: u64 = 1 << 13;
    pub const FLAT: u64 = 1 << 14;
    pub const QUALIFIED_HEAD: u64 = 1 << 15;
    pub const THROUGH: u64 = 1 << 16;
    pub const STEP: u64 = 1 << 17;
    pub const DECLARATION: u64 = 1 << 18;
    pub const ONLY_DIRECT: u64 = 1 << 19;
    pub const FROM_ITS_NAME: u64 = 1 << 20;
    pub const NEVER_BARE: u64 = 1 << 21;
    pub const LABEL: u64 = 1 << 22;
    pub const DECLARING: u64 = 1 << 23;
    pub const DECLARATOR: u64 = 1 << 24;
    pub const UNBOUND: u64 = 1 << 25;
    pub const CLASS_FIELD: u64 = 1 << 26;
    pub const STRING: u64 = 1 << 27;
    pub const IN_ANNOTATION: u64 = 1 << 28;
    pub const COMPREHENSION: u64 = 1 << 29;
    pub const PARAMETER: u64 = 1 << 30;
    pub const JSX: u64 = 1 << 31;
    pub const THIS: u64 = 1 << 32;
    pub const VARIABLE: u64 = 1 << 33;
    /// Of fields.
    pub const TYPE_FIELD: u64 = 1 << 40;
    pub const VALUE_FIELD: u64 = 1 << 41;
    pub const MEMBER_FIELD: u64 = 1 << 42;
    pub const PARAMETER_FIELD: u64 = 1 << 43;
}

/// Bits of a kind with a field of it.
pub mod pair {
    pub const WRITE: u8 = 1;
    pub const KEY: u8 = 2;
    pub const OUTSIDE: u8 = 4;
    /// Whether patterns go on in the field.
    pub const PASSES: u8 = 8;
    pub const IN_BODY: u8 = 16;
}

/// Where a binder binds; see `cairn.languages.scoping`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Block,
    Own,
    Types,
    Assigned,
    Declared,
}

/// A kind of node.
#[derive(Clone, Copy)]
pub struct Shape {
    pub kind: &'static str,
    pub bits: u64,
    row: usize,
}

/// A field of a node; the first is that of a child in none.
#[derive(Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub bits: u64,
    column: usize,
}

impl Shape {
    pub fn is(&self, bits: u64) -> bool {
        self.bits & bits != 0
    }
}

impl Field {
    pub fn is(&self, bits: u64) -> bool {
        self.bits & bits != 0
    }
}

/// The tables of one grammar.
pub struct Shapes {
    pub scoping: Scoping,
    pub kinds: Kinds,
    /// By number; errors have the last one.
    shapes: Vec<Shape>,
    fields: Vec<Field>,
    pairs: Vec<u8>,
    binders: Vec<Option<Where>>,
}

impl Shapes {
    pub fn new(language: &Language, scoping: Scoping, kinds: Kinds) -> Self {
        let names = (0..language.node_kind_count()).map(|id| language.node_kind_for_id(id as u16).unwrap_or_default());
        let shapes: Vec<Shape> = names
            .chain(std::iter::once("ERROR"))
            .enumerate()
            .map(|(row, kind)| Shape { kind, row, bits: bits_of(kind, &scoping, &kinds) })
            .collect();
        let names = (1..=language.field_count()).map(|id| language.field_name_for_id(id as u16).unwrap_or_default());
        let fields: Vec<Field> = std::iter::once("")
            .chain(names)
            .enumerate()
            .map(|(column, name)| Field { name, column, bits: field_bits_of(name, &kinds) })
            .collect();
        let mut pairs = Vec::with_capacity(shapes.len() * fields.len());
        let mut binders = Vec::with_capacity(pairs.capacity());
        for shape in &shapes {
            for field in &fields {
                let both = (shape.kind.to_owned(), field.name.to_owned());
                let said = |known: bool, bit: u8| if known { bit } else { 0 };
                let without =
                    |said: &HashMap<String, Words>| said.get(shape.kind).map(|known| known.contains(field.name));
                pairs.push(
                    said(kinds.writes.contains(&both), pair::WRITE)
                        | said(kinds.keys.contains(&both), pair::KEY)
                        | said(scoping.outside.contains(&both), pair::OUTSIDE)
                        | said(without(&kinds.through) == Some(false), pair::PASSES)
                        | said(without(&scoping.bodies) == Some(true), pair::IN_BODY),
                );
                binders.push(scoping.binders.get(&both).map(|said| match said.as_str() {
                    "own" => Where::Own,
                    "types" => Where::Types,
                    "assigned" => Where::Assigned,
                    "declared" => Where::Declared,
                    _ => Where::Block,
                }));
            }
        }
        Self { scoping, kinds, shapes, fields, pairs, binders }
    }

    pub fn shape(&self, node: Node) -> Shape {
        let number = usize::from(node.kind_id());
        self.shapes[number.min(self.shapes.len() - 1)]
    }

    pub fn field(&self, id: Option<std::num::NonZeroU16>) -> Field {
        self.fields[id.map_or(0, |id| usize::from(id.get()))]
    }

    /// Whether a kind with a field of it has some of the bits.
    pub fn pair(&self, shape: Shape, field: Field, bits: u8) -> bool {
        self.pairs[shape.row * self.fields.len() + field.column] & bits != 0
    }

    /// Whether the names in a field of a pattern are not bound by it.
    pub fn holds_back(&self, kind: &str, field: &str) -> bool {
        self.kinds.through.get(kind).is_some_and(|fields| fields.contains(field))
    }

    pub fn binder(&self, shape: Shape, field: Field) -> Option<Where> {
        self.binders[shape.row * self.fields.len() + field.column]
    }
}

fn bits_of(kind: &str, scoping: &Scoping, kinds: &Kinds) -> u64 {
    let sets = [
        (&scoping.functions, is::FUNCTION),
        (&scoping.spaces, is::SPACE),
        (&scoping.blocks, is::BLOCK),
        (&scoping.prototypes, is::PROTOTYPE),
        (&scoping.opaque, is::OPAQUE),
        (&kinds.names, is::NAME),
        (&kinds.imports, is::IMPORT),
        (&kinds.types, is::TYPE),
        (&kinds.values, is::VALUE),
        (&kinds.connectors, is::CONNECTOR),
        (&kinds.suffixes, is::SUFFIX),
        (&kinds.navigations, is::NAVIGATION),
        (&kinds.flat, is::FLAT),
        (&kinds.qualified_heads, is::QUALIFIED_HEAD),
        (&kinds.steps, is::STEP),
        (&kinds.only_direct, is::ONLY_DIRECT),
        (&kinds.from_its_name, is::FROM_ITS_NAME),
        (&kinds.never_bare, is::NEVER_BARE),
        (&kinds.labels, is::LABEL),
        (&kinds.declaring, is::DECLARING),
        (&kinds.declarators, is::DECLARATOR),
        (&kinds.unbound, is::UNBOUND),
        (&kinds.class_fields, is::CLASS_FIELD),
        (&kinds.strings, is::STRING),
        (&kinds.in_annotations, is::IN_ANNOTATION),
    ];
    let rules = [
        (scoping.bodies.contains_key(kind), is::WITH_BODIES),
        (kinds.through.contains_key(kind), is::THROUGH),
        (kind.ends_with("identifier"), is::IDENTIFIER | is::NAME),
        (kinds.declarations.iter().any(|end| kind.ends_with(end.as_str())), is::DECLARATION),
        (kind.ends_with("comprehension") || kind.ends_with("generator_expression"), is::COMPREHENSION),
        (kind.contains("param"), is::PARAMETER),
        (kind.starts_with("jsx_"), is::JSX),
        (kind == "this", is::THIS),
        (!kind.is_empty() && kind == scoping.variables, is::VARIABLE),
    ];
    let listed = sets.iter().filter(|each| each.0.contains(kind)).map(|each| each.1);
    let ruled = rules.iter().filter(|each| each.0).map(|each| each.1);
    listed.chain(ruled).fold(0, |bits, bit| bits | bit)
}

fn field_bits_of(name: &str, kinds: &Kinds) -> u64 {
    let rules = [
        (kinds.type_fields.contains(name), is::TYPE_FIELD),
        (kinds.value_fields.contains(name), is::VALUE_FIELD),
        (kinds.member_fields.contains(name), is::MEMBER_FIELD),
        (name.contains("param"), is::PARAMETER_FIELD),
    ];
    rules.iter().filter(|each| each.0).fold(0, |bits, each| bits | each.1)
}
