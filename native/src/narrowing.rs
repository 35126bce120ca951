//! What a value is known to be where a test of its type held. Reference: `cairn.syntax.flows`.

use tree_sitter::Node;

use crate::chains::UNKNOWN;
use crate::flows::Reader;
use crate::patterns::Flow;
use crate::values::{inside, is, named_field, only_in};

const MOST_TESTS: usize = 50;

impl<'tree> Reader<'_, '_, 'tree> {
    /// What a value is known to be where a test of its type held.
    pub fn tested(&mut self, node: Node<'tree>) {
        self.opened(node);
        let Some(condition) = node.child_by_field_name("condition") else { return };
        let body = named_field(node, &["consequence", "body"])
            .or_else(|| inside(node).into_iter().find(|child| child.start_byte() >= condition.end_byte()));
        let Some(body) = body else { return };
        let Some(end) = self.end_alone(body) else { return };
        let values = self.chains.values;
        let mut todo = vec![condition];
        for _ in 0..MOST_TESTS {
            let Some(each) = todo.pop() else { return };
            let inner = if each.kind() == "parenthesized_expression" { only_in(each) } else { None };
            if let Some(inner) = inner {
                todo.push(inner);
            } else if values.is(each, is::EITHER) && values.kinds.both_signs.contains(&*self.chains.sign(each)) {
                todo.extend(named_field(each, &["right"]).into_iter().chain(named_field(each, &["left"])));
            } else if let Some((value, kind)) = self.test(each) {
                let target = self.chains.chain(value);
                if target != UNKNOWN && !target.contains(['.', '(', ')', '[', ']', '"', ':']) {
                    let value = self.chains.type_text(kind);
                    self.found.push(Flow { at: body.start_byte(), target, value, around: None, end });
                }
            }
        }
    }

    /// Go's `switch x := y.(type)`: x is of the type of a case that has one alone.
    pub fn switched(&mut self, node: Node<'tree>) {
        let alias = node.child_by_field_name("alias");
        self.know_nothing(alias);
        let Some(name) = alias.and_then(only_in) else { return };
        let target = self.chains.chain(name);
        for case in inside(node).into_iter().filter(|child| child.kind() == "type_case") {
            let mut cursor = case.walk();
            let said: Vec<Node> = case.children_by_field_name("type", &mut cursor).collect();
            if let ([kind], Some(end)) = (&said[..], self.end_alone(case)) {
                let value = self.chains.type_text(*kind);
                self.found.push(Flow { at: case.start_byte(), target: target.clone(), value, around: None, end });
            }
        }
    }

    /// Where a body ends, or the line before its last one, which it shares with others; none where it has only that.
    fn end_alone(&self, body: Node<'tree>) -> Option<usize> {
        let data = self.chains.source.data;
        let rest = &data[body.end_byte()..];
        let behind = rest.iter().take_while(|byte| **byte != b'\n');
        if behind.into_iter().all(|byte| b" \t\r;})".contains(byte)) {
            return Some(body.end_byte());
        }
        data[body.byte_range()].iter().rposition(|byte| *byte == b'\n').map(|at| body.start_byte() + at + 1)
    }

    /// The value whose type a condition tests, and the type.
    fn test(&self, node: Node<'tree>) -> Option<(Node<'tree>, Node<'tree>)> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "instanceof_expression" | "is_expression" => Some((field("left")?, field("right")?)),
            "binary_expression" if self.chains.sign(node) == "instanceof" => Some((field("left")?, field("right")?)),
            "is_pattern_expression" => {
                let pattern = field("pattern").filter(|pattern| {
                    matches!(pattern.kind(), "constant_pattern" | "declaration_pattern" | "type_pattern")
                })?;
                let said = pattern.child_by_field_name("type").or_else(|| only_in(pattern))?;
                Some((field("expression")?, said))
            }
            "call" => {
                let parts = inside(field("arguments")?);
                let said = |name| field(name).map(|word| self.chains.source.text_of(word));
                if parts.len() == 2 && said("function").is_some_and(|said| said == "isinstance") {
                    return Some((parts[0], parts[1]));
                }
                let tests = said("method").is_some_and(|said| self.chains.values.kinds.is_tests.contains(&*said));
                if tests && parts.len() == 1 { Some((field("receiver")?, parts[0])) } else { None }
            }
            _ => None,
        }
    }

    /// Java's `x instanceof A a`.
    pub fn instance(&mut self, node: Node<'tree>) {
        if let (Some(kind), Some(name)) = (node.child_by_field_name("right"), node.child_by_field_name("name")) {
            let said = self.chains.type_text(kind);
            self.bind(name, None, vec![said]);
        }
    }

    /// Swift's `if let x = e`.
    fn opened(&mut self, node: Node<'tree>) {
        if node.child_by_field_name("bound_identifier").is_none() {
            return;
        }
        let mut name = None;
        for index in 0..node.child_count() {
            let Some(child) = node.child(index) else { continue };
            if node.field_name_for_child(index as u32) == Some("bound_identifier") {
                name = Some(child);
            } else if child.kind() == "="
                && let (Some(target), Some(value)) = (name, node.child(index + 1))
            {
                self.bind(target, Some(value), Vec::new());
                name = None;
            }
        }
    }
}
