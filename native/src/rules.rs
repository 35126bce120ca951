//! What is asked of the trees of one grammar: its query, with what the captures mean, and its kinds of nodes.

use std::collections::HashSet;

use tree_sitter::{Language, Query};

use crate::predicates::{Predicate, predicates_of, without_conditions};

/// What a capture means; the names are those of `cairn.languages.grammar`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Attribute,
    Body,
    Call,
    Comment,
    Container,
    /// With the number of its kind.
    Definition(u16),
    Doc,
    Exported,
    Hides,
    Import,
    Name,
    Scope,
    Shows,
    Source,
    Wrapper,
    Other,
}

/// What a kind of node is for a definition that holds it.
#[derive(Clone, Copy, Default)]
pub struct Kind {
    pub is_body: bool,
    pub is_comment: bool,
}

/// A grammar's query and customs.
pub struct Rules {
    pub query: Query,
    /// Of each pattern.
    pub predicates: Vec<Vec<Predicate>>,
    /// Of each capture.
    pub roles: Vec<Role>,
    /// The names of kinds of definitions.
    pub kinds: Vec<String>,
    pub body_fields: Vec<u16>,
    /// Whether definitions of one name that follow each other are one.
    pub clauses: bool,
    /// Words that are no names.
    pub reserved: HashSet<String>,
    /// Whether the heads of definitions tell what is exported.
    pub asks_heads: bool,
    nodes: Vec<Kind>,
}

impl Rules {
    pub fn new(
        language: &Language,
        query: &str,
        bodies: &[String],
        clauses: bool,
        reserved: HashSet<String>,
        asks_heads: bool,
    ) -> Result<Self, String> {
        let query = Query::new(language, &without_conditions(query)).map_err(|error| error.to_string())?;
        let mut kinds = Vec::new();
        let roles = query.capture_names().iter().map(|name| role(name, &mut kinds)).collect();
        let nodes = (0..language.node_kind_count())
            .map(|id| {
                let name = language.node_kind_for_id(id as u16).unwrap_or_default();
                Kind { is_body: bodies.iter().any(|body| body == name), is_comment: name.ends_with("comment") }
            })
            .collect();
        let body_fields =
            bodies.iter().filter_map(|body| language.field_id_for_name(body)).map(std::num::NonZero::get).collect();
        let predicates = predicates_of(&query)?;
        Ok(Self { query, predicates, roles, kinds, body_fields, clauses, reserved, asks_heads, nodes })
    }

    /// What a kind of node is; errors are of none.
    pub fn kind(&self, id: u16) -> Kind {
        self.nodes.get(id as usize).copied().unwrap_or_default()
    }
}

fn role(name: &str, kinds: &mut Vec<String>) -> Role {
    if let Some(kind) = name.strip_prefix("definition.") {
        kinds.push(kind.to_owned());
        return Role::Definition((kinds.len() - 1) as u16);
    }
    match name {
        "attribute" => Role::Attribute,
        "body" => Role::Body,
        "call" => Role::Call,
        "comment" => Role::Comment,
        "container" => Role::Container,
        "doc" => Role::Doc,
        "exported" => Role::Exported,
        "hides" => Role::Hides,
        "import" => Role::Import,
        "name" => Role::Name,
        "scope" => Role::Scope,
        "shows" => Role::Shows,
        "source" => Role::Source,
        "wrapper" => Role::Wrapper,
        _ => Role::Other,
    }
}
