//! How values flow in a file: what each name is given, and what functions give back.
//! Reference: `cairn.syntax.flows`.
//!
//! No function here calls itself: a tree may be as deep as a file is long.

use std::borrow::Cow;

use tree_sitter::{Node, Tree};

use crate::chains::{Chains, LITERAL, UNKNOWN, stepped};
use crate::patterns::{Flow, unknown};
use crate::values::{Mode, field_of, first_named, inside, is, last_named, named_field};

pub const RETURN: &str = "return";
pub const YIELD: &str = "yield";
/// How far above its parameters a closure is, at most.
const NEAR: usize = 3;

/// Reads the flows of a tree.
pub struct Reader<'r, 'a, 'tree> {
    pub chains: Chains<'r, 'a>,
    /// The nodes around the one that is read.
    above: Vec<Node<'tree>>,
    pub found: Vec<Flow<'a>>,
}

impl<'r, 'a, 'tree> Reader<'r, 'a, 'tree> {
    pub fn new(chains: Chains<'r, 'a>) -> Self {
        Self { chains, above: Vec::new(), found: Vec::new() }
    }

    /// The flows of a tree, as they are met.
    pub fn read(mut self, tree: &'tree Tree) -> Vec<Flow<'a>> {
        let values = self.chains.values;
        let mut cursor = tree.walk();
        let mut functions: Vec<usize> = Vec::new();
        loop {
            let node = cursor.node();
            // Signs and keywords have nothing in them.
            if node.is_named() {
                let (mode, is_function) = values.role(node);
                if is_function {
                    functions.push(node.start_byte());
                }
                if mode != Mode::None {
                    let before = self.found.len();
                    self.flows(mode, node);
                    if matches!(mode, Mode::Returns | Mode::Yields | Mode::Shows) {
                        let around = functions.len().checked_sub(2).map(|at| functions[at]);
                        self.found[before..].iter_mut().for_each(|flow| flow.around = around);
                    }
                }
                if cursor.goto_first_child() {
                    self.above.push(node);
                    continue;
                }
                if is_function {
                    functions.pop();
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return self.found;
                }
                if self.above.pop().is_some_and(|above| values.role(above).1) {
                    functions.pop();
                }
            }
        }
    }

    fn flows(&mut self, mode: Mode, node: Node<'tree>) {
        match mode {
            Mode::None => {}
            Mode::Assigns => self.assigned(node),
            Mode::Updates => self.updated(node),
            Mode::Loops => self.looped(node),
            Mode::Catches => self.caught(node),
            Mode::Parameters => self.parameter(node),
            Mode::Declares => self.declaration(node),
            Mode::Enters => self.entered(node),
            Mode::Matches => self.matched(node),
            Mode::Switches => self.switched(node),
            Mode::Tests => self.tested(node),
            Mode::Instances => self.instance(node),
            Mode::Returns => self.returned(node),
            Mode::Yields => self.yielded(node),
            Mode::Shows => self.shown(node),
        }
    }

    pub fn bind(&mut self, target: Node<'tree>, value: Option<Node<'tree>>, given: Vec<Cow<'a, str>>) {
        self.chains.bind(target, value, given, &mut self.found);
    }

    pub fn know_nothing(&mut self, target: Option<Node<'tree>>) {
        if let Some(target) = target {
            self.bind(target, None, unknown());
        }
    }

    fn assigned(&mut self, node: Node<'tree>) {
        let values = self.chains.values;
        let kind = node.kind();
        let mut target = field_of(node, &values.targets);
        let sign = node.child_by_field_name("operator").map(|sign| self.chains.source.text_of(sign));
        let updates = sign.is_some_and(|sign| !values.kinds.plain.contains(&*sign));
        if updates || matches!(kind, "compound_assignment_expr" | "augmented_assignment") {
            return self.know_nothing(target);
        }
        let mut names: Vec<Node> = Vec::new();
        if matches!(kind, "var_spec" | "const_spec") {
            names.extend(node.children_by_field_name("name", &mut node.walk()));
        }
        if target.is_none() {
            target = first_named(node);
            if kind == "property_declaration" {
                let declared = ["variable_declaration", "multi_variable_declaration"];
                target = node.named_children(&mut node.walk()).find(|child| declared.contains(&child.kind()));
            }
        }
        let value = field_of(node, &values.values).or_else(|| behind(node, "="));
        let Some(target) = target else { return };
        if value.is_some_and(|value| value.start_byte() <= target.start_byte()) {
            return;
        }
        if let Some(said) = self.declared(node, Some(target)) {
            if names.is_empty() {
                names.push(target);
            }
            for name in names {
                self.bind(name, None, vec![said.clone()]);
            }
            return;
        }
        let Some(value) = value.filter(|value| value.kind() != "argument_list") else { return };
        if names.len() < 2 {
            return self.bind(target, Some(value), Vec::new());
        }
        for (name, part, given) in self.chains.paired(names, Some(value)) {
            self.bind(name, part, given);
        }
    }

    /// C's declarations without a value.
    fn declaration(&mut self, node: Node<'tree>) {
        let Some(said) = self.declared(node, None) else { return };
        for each in node.children_by_field_name("declarator", &mut node.walk()) {
            if matches!(each.kind(), "identifier" | "pointer_declarator" | "reference_declarator" | "array_declarator")
            {
                self.bind(each, None, vec![said.clone()]);
            }
        }
    }

    /// The written type of a closure's parameter: no definition has it in its head.
    fn parameter(&mut self, node: Node<'tree>) {
        let values = self.chains.values;
        let function = self.above.iter().rev().take(NEAR).find(|above| values.is(**above, is::FUNCTION));
        if !function.is_some_and(|&function| values.is(function, is::CLOSURE)) {
            return;
        }
        let Some(target) = field_of(node, &values.targets) else { return };
        let Some(said) = self.declared(node, Some(target)) else { return };
        let mut names: Vec<Node> = node.children_by_field_name("name", &mut node.walk()).collect();
        if names.is_empty() {
            names.push(target);
        }
        for name in names {
            self.bind(name, None, vec![said.clone()]);
        }
    }

    fn updated(&mut self, node: Node<'tree>) {
        if node.children(&mut node.walk()).any(|child| matches!(child.kind(), "++" | "--")) {
            self.know_nothing(named_field(node, &["argument", "operand"]).or_else(|| first_named(node)));
        }
    }

    fn looped(&mut self, node: Node<'tree>) {
        let values = self.chains.values;
        let mut target = field_of(node, &values.targets);
        let mut value = field_of(node, &values.values);
        if target.is_none() && value.is_none() {
            (target, value) = (first_named(node), behind(node, "in"));
            if value.is_none() {
                (target, value) = (behind(node, "as"), target);
            }
        }
        let (Some(target), Some(value)) = (target, value) else { return };
        if target.start_byte() == value.start_byte() {
            return;
        }
        let declared = self.declared(node, Some(target));
        let element = declared.unwrap_or_else(|| stepped(&self.chains.chain(value), "[]"));
        if target.kind() == "pair" {
            // PHP's keys
            for (part, said) in [(first_named(target), LITERAL.into()), (last_named(target), element)] {
                if let Some(part) = part {
                    self.bind(part, None, vec![said]);
                }
            }
        } else if node.kind() == "range_clause" {
            let names: Vec<Node> = target.named_children(&mut target.walk()).collect();
            for (at, &name) in names.iter().enumerate() {
                let said = match (names.len(), at) {
                    (2, 0) => LITERAL.into(),
                    (2, _) => element.clone(),
                    _ => UNKNOWN.into(),
                };
                self.bind(name, None, vec![said]);
            }
        } else {
            let keys = node.kind() == "for_in_statement" && self.chains.sign(node) == "in";
            self.bind(target, None, vec![if keys { LITERAL.into() } else { element }]);
        }
    }

    fn caught(&mut self, node: Node<'tree>) {
        let mut name;
        let mut kind;
        match node.child_by_field_name("value").filter(|value| value.kind() == "as_pattern") {
            Some(value) => (name, kind) = (value.child_by_field_name("alias"), first_named(value)),
            None => {
                name = named_field(node, &["error", "name", "parameter", "variable"]);
                kind = named_field(node, &["type", "exceptions"]);
                let parameters = node.child_by_field_name("parameters");
                match name {
                    None if node.kind() == "catch_block" => {
                        let parts = inside(node);
                        (name, kind) = if parts.len() > 2 { (Some(parts[0]), Some(parts[1])) } else { (None, None) };
                    }
                    None if parameters.is_some() => {
                        let head = parameters.and_then(first_named);
                        name = head.and_then(|head| head.child_by_field_name("declarator"));
                        kind = head.and_then(|head| head.child_by_field_name("type"));
                    }
                    _ if kind.is_none() && node.kind() == "catch_formal_parameter" => {
                        kind = node.named_children(&mut node.walk()).find(|child| child.kind() == "catch_type");
                    }
                    Some(pattern) if kind.is_none() && pattern.kind() == "pattern" => {
                        kind = pattern.child_by_field_name("name");
                        name = first_named(pattern);
                    }
                    _ => {}
                }
            }
        }
        if let Some(name) = name {
            let said = kind.map_or(UNKNOWN.into(), |kind| self.chains.type_text(kind));
            self.bind(name, None, vec![said]);
        }
    }

    /// Python's `with`.
    fn entered(&mut self, node: Node<'tree>) {
        let Some(value) = node.child_by_field_name("value").filter(|value| value.kind() == "as_pattern") else {
            return;
        };
        let statement = self.above.len().checked_sub(2).map(|at| self.above[at]);
        let waits = statement.and_then(|statement| statement.child(0)).is_some_and(|first| first.kind() == "async");
        if let (Some(name), Some(given)) = (value.child_by_field_name("alias"), first_named(value)) {
            let step = if waits { ".__aenter__()" } else { ".__enter__()" };
            let said = stepped(&self.chains.chain(given), step);
            self.bind(name, None, vec![said]);
        }
    }

    /// Names in a pattern of Python's `match`.
    fn matched(&mut self, node: Node<'tree>) {
        let mut part = first_named(node);
        match part {
            Some(pattern) if pattern.kind() == "as_pattern" => part = last_named(pattern),
            Some(name) if name.kind() == "dotted_name" && name.named_child_count() == 1 => part = name.named_child(0),
            _ => {}
        }
        self.know_nothing(part.filter(|part| part.kind() == "identifier"));
    }

    fn returned(&mut self, node: Node<'tree>) {
        let first = node.child(0).map_or("", |first| first.kind());
        if node.kind() != "control_transfer_statement" || first == "return" {
            self.give(RETURN, node.start_byte(), first_named(node));
        }
    }

    fn yielded(&mut self, node: Node<'tree>) {
        let has = |signs: &[&str]| node.children(&mut node.walk()).any(|child| signs.contains(&child.kind()));
        // Ruby's `yield` calls a function, and Java's gives a value to a `switch`.
        let Some(value) = first_named(node).filter(|value| value.kind() != "argument_list") else { return };
        if node.kind() == "yield_statement" && !has(&["return"]) {
            return;
        }
        if has(&["from", "*"]) {
            let value = stepped(&self.chains.chain(value), "[]");
            self.found.push(Flow { at: node.start_byte(), target: YIELD.into(), value, around: None, end: 0 });
        } else {
            self.give(YIELD, node.start_byte(), Some(value));
        }
    }

    /// A body that is one expression, or ends in one.
    fn shown(&mut self, node: Node<'tree>) {
        let value = match node.kind() {
            "arrow_function" => node
                .child_by_field_name("body")
                .filter(|body| !matches!(body.kind(), "statement_block" | "compound_statement")),
            "function_body" => last_named(node).filter(|_| node.child(0).is_some_and(|first| first.kind() == "=")),
            "arrow_expression_clause" => first_named(node),
            _ => match node.child_by_field_name("body") {
                Some(body) if matches!(body.kind(), "block" | "body_statement") => last_named(body),
                body => body,
            },
        };
        if let Some(value) = value.filter(|&value| !self.chains.values.is(value, is::NO_VALUE)) {
            self.give(RETURN, value.start_byte(), Some(value));
        }
    }

    fn give(&mut self, target: &'static str, at: usize, value: Option<Node>) {
        let values = value.map_or_else(Vec::new, |value| self.chains.chains(value));
        let flow = |value| Flow { at, target: target.into(), value, around: None, end: 0 };
        self.found.extend(values.into_iter().map(flow));
    }

    /// `: TYPE` where it is written.
    fn declared(&self, node: Node<'tree>, target: Option<Node<'tree>>) -> Option<Cow<'a, str>> {
        let values = self.chains.values;
        let mut kind = field_of(node, &values.kind);
        if kind.is_none() && values.is(node, is::SHARES_TYPE) {
            kind = self.above.last().and_then(|&above| field_of(above, &values.kind));
        }
        if kind.is_none() {
            kind = node.named_children(&mut node.walk()).find(|child| child.kind() == "type_annotation");
        }
        if kind.is_none()
            && let Some(target) = target.filter(|target| target.kind() == "variable_declaration")
        {
            let parts = inside(target);
            kind = if parts.len() > 1 { parts.last().copied() } else { None };
        }
        let said = self.chains.type_text(kind?);
        let is_said = !values.kinds.untyped.contains(said.strip_prefix(": ").unwrap_or(&said));
        is_said.then_some(said)
    }
}

/// What stands behind a sign.
fn behind<'tree>(node: Node<'tree>, sign: &str) -> Option<Node<'tree>> {
    let mut cursor = node.walk();
    let mut behind = node.children(&mut cursor).skip_while(|child| child.kind() != sign).skip(1);
    behind.find(|child| child.is_named() && !child.is_extra())
}
