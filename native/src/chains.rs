//! What an expression is, as far as a reader sees, in one short text. Reference: `cairn.syntax.chains`.
//!
//! No function here calls itself: a tree may be as deep as a file is long.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::shapes::{self, Shapes};
use crate::source::Source;
use crate::text::is_space_byte;
use crate::values::{Values, What, field_of, first_named, inside, is, last_named, only_in};

pub const UNKNOWN: &str = "?";
pub const LITERAL: &str = "\"\"";
pub const MAX_CHAIN: usize = 120;
const MOST_NODES: usize = 500;
const MOST_VALUES: usize = 8;

/// Reads the chains of one file.
pub struct Chains<'r, 'a> {
    pub values: &'r Values,
    pub shapes: &'r Shapes,
    pub source: &'r Source<'a>,
}

type Part<'a> = Cow<'a, [u8]>;

enum Step<'a> {
    Member(Part<'a>),
    Call,
    Element,
}

impl<'a> Chains<'_, 'a> {
    /// The chain of an expression.
    pub fn chain(&self, mut node: Node) -> Cow<'a, str> {
        let values = self.values;
        let mut steps: Vec<Step<'a>> = Vec::new();
        let mut before: Vec<Option<Node>> = Vec::new();
        let mut signed = false;
        for _ in 0..MOST_NODES {
            let rule = match values.rule(node) {
                Some(rule) if rule.what != What::Path => rule,
                found => {
                    let head = if found.is_some() { path(self.bytes(node)) } else { self.head(node) };
                    if signed && (*head != *LITERAL.as_bytes() || !steps.is_empty()) {
                        return UNKNOWN.into();
                    }
                    return joined(head, &steps);
                }
            };
            if node.child_count() == 0 {
                return UNKNOWN.into();
            }
            let mut base = field_of(node, &rule.bases);
            let mut name = field_of(node, &rule.names);
            match rule.what {
                What::Call => {
                    if name.is_none() {
                        base = base.or_else(|| first_named(node));
                    }
                    if base.is_some_and(|base| values.is(base, is::COLLECTION)) {
                        return joined(LITERAL.as_bytes().into(), &steps);
                    }
                    if steps.is_empty()
                        && let Some(cast) = base.and_then(|base| self.cast_call(node, base))
                    {
                        return cast;
                    }
                    let Some(last) = node.child(node.child_count() - 1) else { return UNKNOWN.into() };
                    if last.kind() == "class_body" {
                        return UNKNOWN.into(); // a type of its own
                    }
                    let element = last.kind() == "call_suffix" && self.bytes(last).ends_with(b"]");
                    steps.push(if element { Step::Element } else { Step::Call });
                    if let Some(name) = name {
                        let said = self.member(node, name);
                        if base.is_none() {
                            return joined(said, &steps);
                        }
                        if said.is_empty() {
                            return UNKNOWN.into();
                        }
                        steps.push(Step::Member(said));
                    }
                }
                What::Member => {
                    base = base.or_else(|| first_named(node));
                    name = name.or_else(|| last_named(node));
                    match name.map(|name| self.member(node, name)) {
                        Some(said) if !said.is_empty() => steps.push(Step::Member(said)),
                        _ => return UNKNOWN.into(),
                    }
                }
                What::Index => {
                    base = base.or_else(|| first_named(node));
                    if field_of(node, &values.subscript).is_none_or(|asked| asked.kind() != "slice") {
                        steps.push(Step::Element);
                    }
                }
                What::Same => {
                    if base.is_none() && values.is(node, is::SEQUENCE) && only_in(node).is_none() {
                        return joined(LITERAL.as_bytes().into(), &steps);
                    }
                    base = base.or_else(|| first_named(node));
                }
                What::Last => base = last_named(node),
                What::Signed => {
                    base = base.or_else(|| first_named(node));
                    let sign = self.sign(node);
                    let end = base.map_or(0, |base| base.end_byte());
                    let last = node.child(node.child_count() - 1).map_or(0, |last| last.end_byte());
                    if values.kinds.not_signs.contains(&*sign) && last == end {
                        return joined(LITERAL.as_bytes().into(), &steps);
                    }
                    if sign == "<-" {
                        steps.push(Step::Element);
                    } else if !values.kinds.same_signs.contains(&*sign) && sign != "!" && sign != "&mut" {
                        signed = true;
                    }
                }
                What::Assigned => {
                    if !self.assigns(node) {
                        return UNKNOWN.into();
                    }
                }
                What::Cast => {
                    let parts = inside(node);
                    let name = name.or(if parts.len() > 1 { parts.last().copied() } else { None });
                    if let Some(name) = name {
                        return if steps.is_empty() { self.type_text(name) } else { UNKNOWN.into() };
                    }
                    base = base.or_else(|| first_named(node));
                }
                What::Beyond => {
                    before.push(base);
                    base = last_named(node);
                }
                What::Bound | What::Path => {
                    match name.map(|name| self.member(node, name)) {
                        Some(said) if !said.is_empty() => steps.push(Step::Member(said)),
                        _ if rule.is_named => return UNKNOWN.into(),
                        _ => steps.push(Step::Element),
                    }
                    base = before.pop().flatten();
                }
            }
            match base {
                Some(base) if steps.len() <= MAX_CHAIN => node = base,
                _ => return UNKNOWN.into(),
            }
        }
        UNKNOWN.into()
    }

    /// The chains of all values that an expression may have.
    pub fn chains(&self, node: Node) -> Vec<Cow<'a, str>> {
        let mut found: Vec<Cow<'a, str>> = Vec::new();
        let mut count = 0;
        let mut todo = vec![node];
        for _ in 0..MOST_NODES {
            let Some(each) = todo.pop() else { return found };
            if let Some(rule) = self.values.rule(each) {
                let inner = match rule.what {
                    What::Same | What::Last => only_in(each),
                    What::Assigned if self.assigns(each) => field_of(each, &rule.bases),
                    _ => None,
                };
                if let Some(inner) = inner {
                    todo.push(inner);
                    continue;
                }
            }
            if let Some((one, other)) = self.either(each) {
                todo.extend([other, one]);
            } else {
                count += 1;
                let said = self.chain(each);
                if !found.contains(&said) {
                    found.push(said);
                }
            }
            if count + todo.len() > MOST_VALUES {
                break;
            }
        }
        vec![UNKNOWN.into()]
    }

    /// `: TYPE`, as written.
    pub fn type_text(&self, node: Node) -> Cow<'a, str> {
        let mut written: Vec<u8> = Vec::new();
        for word in self.bytes(node).split(|&byte| is_space_byte(byte)).filter(|word| !word.is_empty()) {
            if !written.is_empty() {
                written.push(b' ');
            }
            written.extend_from_slice(word);
        }
        let written = written.strip_prefix(b":").unwrap_or(&written);
        let written = written.strip_prefix(b" ").unwrap_or(written);
        if written.is_empty() || written.len() + 2 > MAX_CHAIN {
            return UNKNOWN.into();
        }
        format!(": {}", String::from_utf8_lossy(written)).into()
    }

    /// The operator of a node; empty where there is none.
    pub fn sign(&self, node: Node) -> Cow<'a, str> {
        let sign = field_of(node, &self.values.signs).or_else(|| {
            let mut cursor = node.walk();
            node.children(&mut cursor).find(|child| !child.is_named() && !matches!(child.kind(), "(" | ")" | "[" | "]"))
        });
        sign.map_or("".into(), |sign| self.source.text_of(sign))
    }

    pub fn bytes(&self, node: Node) -> &'a [u8] {
        self.source.data.get(node.byte_range()).unwrap_or_default()
    }

    fn assigns(&self, node: Node) -> bool {
        let sign = self.sign(node);
        sign.is_empty() || self.values.kinds.plain.contains(&*sign)
    }

    /// A name or a literal; empty for all else.
    fn head(&self, node: Node) -> Part<'a> {
        let is_name = node.child_count() == 0 && self.shapes.shape(node).is(shapes::is::NAME);
        if is_name || self.values.is(node, is::HEAD) {
            let written = self.bytes(node);
            if std::str::from_utf8(written).is_ok_and(|text| self.values.kinds.nothing.contains(text)) {
                return LITERAL.as_bytes().into();
            }
            return if is_a_name(written) { written.into() } else { b"".as_slice().into() };
        }
        let compares = || self.values.kinds.comparing.contains(&*self.sign(node));
        if self.values.is(node, is::LITERAL) || (self.values.is(node, is::EITHER) && compares()) {
            return LITERAL.as_bytes().into();
        }
        b"".as_slice().into()
    }

    /// The name of a member; empty where it is none.
    fn member(&self, node: Node, name: Node) -> Part<'a> {
        let none = || b"".as_slice().into();
        let name = if name.kind() == "navigation_suffix" { last_named(name) } else { Some(name) };
        let Some(name) = name else { return none() };
        let written = self.bytes(name);
        if name.kind() == "variable_name" {
            let rest = written.get(1..).unwrap_or_default();
            let is_static = node.kind().starts_with("scoped_property");
            return if is_static && is_a_name(rest) { rest.into() } else { none() };
        }
        if self.values.rule(name).is_some_and(|rule| rule.what == What::Path) {
            let path = path(written);
            return if path.contains(&b'.') { none() } else { path };
        }
        if name.named_child_count() == 0 && is_a_name(written) { written.into() } else { none() }
    }

    /// The type that a call is given: `static_cast<T>(x)`, Python's `cast(T, x)`, Go's `new(T)`.
    fn cast_call(&self, node: Node, base: Node) -> Option<Cow<'a, str>> {
        let said = self.bytes(base);
        if base.kind() == "template_function" {
            let name = said.split(|&byte| byte == b'<').next().unwrap_or_default();
            let given = base.child_by_field_name("arguments").filter(|_| name.ends_with(b"_cast"))?;
            return first_named(given).map(|kind| self.type_text(kind));
        }
        let wanted = match said {
            b"cast" | b"typing.cast" if node.kind() == "call" => 2,
            b"new" if node.kind() == "call_expression" => 1,
            _ => return None,
        };
        let given = node.child_by_field_name("arguments").filter(|given| given.named_child_count() == wanted)?;
        given.named_child(0).map(|kind| self.type_text(kind))
    }

    fn either<'tree>(&self, node: Node<'tree>) -> Option<(Node<'tree>, Node<'tree>)> {
        if !self.values.is(node, is::EITHER) {
            return None;
        }
        let kind = node.kind();
        if matches!(kind, "binary_expression" | "binary") && !self.values.kinds.either_signs.contains(&*self.sign(node))
        {
            return None;
        }
        let (one, other) = (field_of(node, &self.values.one), field_of(node, &self.values.other));
        if one.is_none() && other.is_none() {
            // The condition stands between them, or before them.
            let parts = inside(node);
            let first = usize::from(kind == "if_expression");
            return if parts.len() == 3 { Some((parts[first], parts[2])) } else { None };
        }
        if kind == "if_expression" && other.is_none() {
            return None;
        }
        Some((one.or_else(|| node.child_by_field_name("condition"))?, other?))
    }
}

/// The chain of names with joints between them, without arguments of types.
pub fn path_of(written: &[u8]) -> Cow<'_, str> {
    joined(path(written), &[])
}

/// A chain with one more step; unknown where that can't be said.
pub fn stepped<'a>(chain: &str, step: &str) -> Cow<'a, str> {
    if chain == UNKNOWN || chain.starts_with(':') || chain.len() + step.len() > MAX_CHAIN {
        return UNKNOWN.into();
    }
    format!("{chain}{step}").into()
}

fn joined<'a>(head: Part<'a>, steps: &[Step<'a>]) -> Cow<'a, str> {
    if head.is_empty() || head.len() > MAX_CHAIN {
        return UNKNOWN.into();
    }
    if steps.is_empty() {
        return match head {
            Cow::Borrowed(head) => String::from_utf8_lossy(head),
            Cow::Owned(head) => String::from_utf8_lossy(&head).into_owned().into(),
        };
    }
    let mut whole = head.into_owned();
    for step in steps.iter().rev() {
        match step {
            Step::Member(name) => {
                whole.push(b'.');
                whole.extend_from_slice(name);
            }
            Step::Call => whole.extend_from_slice(b"()"),
            Step::Element => whole.extend_from_slice(b"[]"),
        }
    }
    if whole.len() > MAX_CHAIN {
        return UNKNOWN.into();
    }
    String::from_utf8_lossy(&whole).into_owned().into()
}

fn is_a_name(text: &[u8]) -> bool {
    let core = match text {
        [rest @ .., b'?' | b'!'] => rest,
        _ => text,
    };
    let is_word = |&byte: &u8| byte >= 128 || byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | b'#');
    core.first().is_some_and(|first| !first.is_ascii_digit()) && core.iter().all(is_word)
}

/// Names with dots between them, without arguments of types; empty where it is none.
fn path(written: &[u8]) -> Part<'_> {
    if written.first() == Some(&b'<') {
        return b"".as_slice().into();
    }
    if is_a_name(written) {
        return written.into();
    }
    let mut names: Vec<Vec<u8>> = Vec::new();
    let mut word: Vec<u8> = Vec::new();
    let mut depth = 0;
    for &byte in written {
        match byte {
            b'<' | b'[' => depth += 1,
            b'>' | b']' => depth -= 1,
            b'.' | b':' | b'\\' if depth == 0 => names.push(std::mem::take(&mut word)),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ if depth == 0 => word.push(byte),
            _ => {}
        }
    }
    names.push(word);
    names.retain(|name| !name.is_empty());
    if names.is_empty() || !names.iter().all(|name| is_a_name(name)) {
        return b"".as_slice().into();
    }
    names.join(&b'.').into()
}
