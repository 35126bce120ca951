//! Definitions that were found in a syntax tree, and how they stand in each other.
//! Reference: `cairn.syntax.definitions`.

use tree_sitter::Node;

use crate::comments::Comment;
use crate::text::is_blank;

/// A definition as the syntax tree has it, before it is known what is around it.
pub struct Definition<'a, 'tree> {
    pub start: usize,
    pub end: usize,
    pub start_row: usize,
    pub end_row: usize,
    pub name: String,
    pub name_at: usize,
    pub name_row: usize,
    pub kind: &'a str,
    pub signature: String,
    pub head: String,
    pub container: String,
    pub doc: String,
    pub is_scope: bool,
    pub pattern: usize,
    /// The node with its wrappers.
    pub outer: Node<'tree>,
    pub qualified: String,
}

fn is_type(kind: &str) -> bool {
    matches!(kind, "class" | "enum" | "interface" | "struct" | "trait" | "type")
}

/// What is around comes first.
pub fn sort(definitions: &mut [Definition]) {
    definitions.sort_by(|one, other| {
        one.start
            .cmp(&other.start)
            .then(other.end.cmp(&one.end))
            .then(one.is_scope.cmp(&other.is_scope))
            .then_with(|| one.name.cmp(&other.name))
    });
}

/// A signature and the equations after it are one definition.
pub fn one_of_clauses<'a, 'tree>(
    ordered: Vec<Definition<'a, 'tree>>,
    comments: &[Comment],
    data: &[u8],
) -> Vec<Definition<'a, 'tree>> {
    let mut kept: Vec<Definition> = Vec::with_capacity(ordered.len());
    for item in ordered {
        if let Some(before) = kept.last_mut()
            && before.name == item.name
            && before.kind == item.kind
            && before.end <= item.start
        {
            let first = comments.partition_point(|comment| comment.first_row < before.end_row);
            let last = comments.partition_point(|comment| comment.first_row < item.start_row);
            let mut between = data[before.end..item.start].to_vec();
            for comment in comments.get(first..last).unwrap_or_default() {
                between = without(&between, &data[comment.start..comment.end]);
            }
            if is_blank(&between) {
                before.end = item.end;
                before.end_row = item.end_row;
                if before.doc.is_empty() {
                    before.doc = item.doc;
                }
                continue;
            }
        }
        kept.push(item);
    }
    kept
}

/// `bytes.replace` of a part by nothing.
fn without(data: &[u8], part: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(data.len());
    let mut at = 0;
    while at < data.len() {
        if !part.is_empty() && data[at..].starts_with(part) {
            at += part.len();
        } else {
            kept.push(data[at]);
            at += 1;
        }
    }
    kept
}

/// Containers by nesting; `ordered` is sorted so that what is around comes first.
pub fn qualify(ordered: &mut [Definition]) {
    let mut stack: Vec<usize> = Vec::new();
    for at in 0..ordered.len() {
        let (before, rest) = ordered.split_at_mut(at);
        let item = &mut rest[0];
        while stack.last().is_some_and(|&last| before[last].end <= item.start) {
            stack.pop();
        }
        let around = stack
            .iter()
            .rev()
            .map(|&outer| &before[outer])
            .find(|outer| outer.end >= item.end && !is_same(outer, item));
        if let Some(around) = around {
            if item.container.is_empty() {
                item.container.clone_from(&around.qualified);
            } else if around.kind == "module" {
                item.container = format!("{}.{}", around.qualified, item.container);
            }
            if item.kind == "function" && (around.is_scope || is_type(around.kind)) {
                item.kind = "method";
            }
        }
        // A scope may repeat a type's own name: it names its members, it is no member itself.
        item.qualified = if item.container.is_empty() || item.is_scope {
            item.name.clone()
        } else {
            format!("{}.{}", item.container, item.name)
        };
        stack.push(at);
    }
}

/// Names of one declaration stand side by side, not in each other.
fn is_same(one: &Definition, other: &Definition) -> bool {
    one.start == other.start && one.end == other.end && !(one.is_scope || other.is_scope)
}
