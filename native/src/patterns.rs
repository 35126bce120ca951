//! Names that get a value, each with its own part of it. Reference: `cairn.syntax.patterns`.
//!
//! No function here calls itself: a tree may be as deep as a file is long.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::chains::{Chains, LITERAL, UNKNOWN, stepped};
use crate::shapes::is::THROUGH;
use crate::values::{What, field_of, inside, is, last_named, named_field, only_in};

/// One value that flows to one place.
pub struct Flow<'a> {
    pub at: usize,
    pub target: Cow<'a, str>,
    pub value: Cow<'a, str>,
    /// Where the function begins that the one begins in that gives it back.
    pub around: Option<usize>,
    /// Where the code ends in which a test says what a value is; 0 for a value that flows.
    pub end: usize,
}

type Given<'a> = Vec<Cow<'a, str>>;

/// A pattern, and what flows to it: an expression, or chains where there is none.
type Part<'a, 'tree> = (Node<'tree>, Option<Node<'tree>>, Given<'a>);

pub fn unknown<'a>() -> Given<'a> {
    vec![UNKNOWN.into()]
}

impl<'a> Chains<'_, 'a> {
    /// The flows to all names of a pattern, given an expression or else its chains.
    pub fn bind<'tree>(
        &self,
        target: Node<'tree>,
        value: Option<Node<'tree>>,
        given: Given<'a>,
        found: &mut Vec<Flow<'a>>,
    ) {
        let mut todo: Vec<Part> = vec![(target, value, given)];
        while let Some((target, value, mut given)) = todo.pop() {
            if let Some(value) = value
                && given.is_empty()
            {
                given = self.chains(value);
            }
            if let Some(parts) = self.parts(target, value, &given) {
                todo.extend(parts.into_iter().rev());
            } else if let Some(at) = self.named(target) {
                let name = match self.chain(target) {
                    Cow::Borrowed(name) => Cow::Borrowed(name.strip_suffix("()").unwrap_or(name)),
                    Cow::Owned(name) => Cow::Owned(name.strip_suffix("()").unwrap_or(&name).to_owned()),
                };
                if name != UNKNOWN && !name.ends_with([']', ')', '"']) && !name.starts_with(':') {
                    found.extend(given.into_iter().map(|value| Flow {
                        at,
                        target: name.clone(),
                        value,
                        around: None,
                        end: 0,
                    }));
                }
            }
        }
    }

    /// The parts of a pattern with what flows to each; None for a name.
    fn parts<'tree>(
        &self,
        target: Node<'tree>,
        value: Option<Node<'tree>>,
        given: &Given<'a>,
    ) -> Option<Vec<Part<'a, 'tree>>> {
        let kind = target.kind();
        if target.child_count() == 0 {
            let through = self.shapes.shape(target).is(THROUGH) && kind != "variable_name";
            let listed = self.values.is(target, is::LIST);
            return if through || listed || kind == "variable_declaration" { Some(Vec::new()) } else { None };
        }
        let parts = inside(target);
        if self.values.is(target, is::WRAP) {
            let bound = target.child_by_field_name("bound_identifier");
            if let Some(inner) = bound.or(if parts.len() == 1 { parts.first().copied() } else { None }) {
                return Some(vec![(inner, value, given.clone())]);
            }
        }
        if self.values.is(target, is::DECLARATOR)
            && let Some(&last) = parts.last()
        {
            let inner = target.child_by_field_name("declarator").unwrap_or(last);
            return Some(vec![(inner, value, given.clone())]);
        }
        match kind {
            "variable_declaration" => {
                return Some(parts.first().map(|&first| (first, value, given.clone())).into_iter().collect());
            }
            "object_pattern" | "struct_pattern" => {
                let parts = parts.into_iter().filter(|&part| !self.values.is(part, is::PATH));
                return Some(parts.filter_map(|part| self.picked(part, given)).collect());
            }
            "tuple_struct_pattern" => {
                let name = target.child_by_field_name("type");
                let start = name.map(|name| name.start_byte());
                let rest: Vec<Node> = parts.into_iter().filter(|part| Some(part.start_byte()) != start).collect();
                let says = |name| self.values.kinds.opened.contains(&*self.source.text_of(name));
                let opened = rest.len() == 1 && name.is_some_and(says);
                let given = if opened { given.clone() } else { unknown() };
                return Some(rest.into_iter().map(|part| (part, None, given.clone())).collect());
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                let mut all: Given = given.clone();
                for more in target.child_by_field_name("right").map_or_else(Vec::new, |right| self.chains(right)) {
                    if !all.contains(&more) {
                        all.push(more);
                    }
                }
                return Some(target.child_by_field_name("left").map(|left| (left, None, all)).into_iter().collect());
            }
            _ => {}
        }
        if self.values.is(target, is::LIST) || kind == "pattern" {
            if kind == "expression_list"
                && let Some(inner) = only_in(target)
            {
                return Some(vec![(inner, value, given.clone())]);
            }
            return Some(self.paired(parts, value));
        }
        if !self.shapes.shape(target).is(THROUGH) || kind == "variable_name" {
            return None;
        }
        let mut cursor = target.walk();
        let children = target.children(&mut cursor).enumerate().filter(|(index, child)| {
            let field = target.field_name_for_child(*index as u32);
            child.is_named() && !field.is_some_and(|field| self.shapes.holds_back(kind, field))
        });
        Some(children.map(|(_, child)| (child, None, unknown())).collect())
    }

    /// The names of a list, each with its value.
    pub fn paired<'tree>(&self, names: Vec<Node<'tree>>, value: Option<Node<'tree>>) -> Vec<Part<'a, 'tree>> {
        if let Some(value) = value {
            let lists = value.kind() == "expression_list";
            let inner = if lists { only_in(value).unwrap_or(value) } else { value };
            if self.values.is(inner, is::SEQUENCE) {
                let values = inside(inner);
                let spread = names.iter().chain(&values).any(|&each| self.values.is(each, is::SPREAD));
                if values.len() == names.len() && !spread {
                    return names.into_iter().zip(values).map(|(name, each)| (name, Some(each), Vec::new())).collect();
                }
            }
            if lists && inner.kind() == "call_expression" {
                // Go's functions may give back several values: the first is what the call is known by.
                let parts = names.into_iter().enumerate();
                return parts
                    .map(|(at, name)| if at == 0 { (name, Some(inner), Vec::new()) } else { (name, None, unknown()) })
                    .collect();
            }
            if lists && let [first, second] = names[..] {
                let received = inner.kind() == "unary_expression" && self.sign(inner) == "<-";
                if received || matches!(inner.kind(), "type_assertion_expression" | "index_expression") {
                    // Go's `v, ok := m[k]`
                    return vec![(first, Some(inner), Vec::new()), (second, None, vec![LITERAL.into()])];
                }
            }
        }
        names.into_iter().map(|name| (name, None, unknown())).collect()
    }

    /// A part of a pattern that takes members by their names.
    fn picked<'tree>(&self, part: Node<'tree>, given: &Given<'a>) -> Option<Part<'a, 'tree>> {
        let key = if part.named_child_count() > 0 { named_field(part, &["key", "name", "left"]) } else { Some(part) };
        let target = match named_field(part, &["value", "pattern"]) {
            None if part.kind() == "field_pattern" => key?,
            found => found.unwrap_or(part),
        };
        let (Some(key), [given], false) = (key, &given[..], part.kind() == "rest_pattern") else {
            return Some((target, None, unknown()));
        };
        if key.named_child_count() > 0 {
            return Some((target, None, unknown()));
        }
        Some((target, None, vec![stepped(given, &format!(".{}", self.source.text_of(key)))]))
    }

    /// Where the name of a target begins.
    fn named(&self, mut target: Node) -> Option<usize> {
        for _ in 0..8 {
            let Some(rule) = self.values.rule(target) else { break };
            target = match rule.what {
                What::Member => field_of(target, &rule.names).or_else(|| last_named(target))?,
                What::Call => field_of(target, &rule.names)?,
                _ => return None,
            };
        }
        let target = match target.kind() {
            "variable_name" | "navigation_suffix" => last_named(target)?,
            _ => target,
        };
        Some(target.start_byte())
    }
}
