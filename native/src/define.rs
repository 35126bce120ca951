//! The definitions that matches say, each once. Reference: `define` of `cairn.syntax.extract`.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::comments::clean_comment;
use crate::definitions::Definition;
use crate::hashing::HashMap;
use crate::matches::Head;
use crate::rules::Rules;
use crate::source::Source;
use crate::text::{MAX_NAME, Unsure, find_byte, is_space, prefix, spaced};

const MAX_SIGNATURE: usize = 300;

/// Collects definitions by the places of their names.
pub struct Definitions<'a, 'tree, 'found> {
    pub rules: &'a Rules,
    pub source: &'found Source<'a>,
    pub wrapped: &'found HashMap<usize, Node<'tree>>,
    pub found: Vec<Definition<'a, 'tree>>,
    pub keys: HashMap<(usize, usize, bool), usize>,
}

impl<'a, 'tree> Definitions<'a, 'tree, '_> {
    /// Add the definition of one match of the query to those that were found.
    pub fn define(&mut self, head: &Head<'a, 'tree>) -> Result<(), Unsure> {
        let Some(found) = self.definition(head)? else { return Ok(()) };
        let key = (head.name.start_byte(), head.name.end_byte(), head.is_scope);
        let Some(&known) = self.keys.get(&key) else {
            self.keys.insert(key, self.found.len());
            self.found.push(found);
            return Ok(());
        };
        // Several patterns may fit one name: the first of the query decides, a later one may add its doc.
        let before = &mut self.found[known];
        if found.pattern < before.pattern {
            let doc = std::mem::take(&mut before.doc);
            *before = found;
            if before.doc.is_empty() {
                before.doc = doc;
            }
        } else if before.doc.is_empty() {
            before.doc = found.doc;
        }
        Ok(())
    }

    fn definition(&self, head: &Head<'a, 'tree>) -> Result<Option<Definition<'a, 'tree>>, Unsure> {
        let Self { rules, source, .. } = self;
        let mut name = cleaned(&source.text_of(head.name), head.kind == "rule")?;
        if name.is_empty() || rules.reserved.contains(&name) {
            return Ok(None);
        }
        let node = head.node;
        let mut outer = node;
        while let Some(&around) = self.wrapped.get(&outer.id()) {
            outer = around;
        }
        let body = head.body.or_else(|| self.body(node, head.name));
        let signature = self.signature(node, head.name, body);
        let start = outer.start_byte();
        let mut words = String::new();
        if rules.asks_heads {
            if outer.id() != node.id() {
                words += &source.decoded(start, node.start_byte().min(start + 4 * MAX_SIGNATURE));
            }
            words.push(' ');
            words += &signature;
        }
        let mut container = String::new();
        if matches!(head.kind, "class" | "enum" | "interface" | "module" | "struct" | "trait") {
            // `Plug.BasicAuth` is found as `BasicAuth` too.
            let dotted = name.replace("::", ".").replace("\\\\", ".");
            if let Some((outside, last)) = dotted.rsplit_once('.') {
                container = outside.to_owned();
                name = last.to_owned();
            } else {
                name = dotted;
            }
        }
        if let Some(node) = head.container {
            container = prefix(&source.text_of(node).replace("::", "."), MAX_NAME).to_owned();
        }
        let last = body.filter(|body| body.end_byte() > outer.end_byte()).unwrap_or(outer);
        let end = source.last_byte(last);
        let mut signature = spaced(&signature);
        signature.truncate(prefix(&signature, MAX_SIGNATURE).len());
        Ok(Some(Definition {
            start,
            end,
            start_row: source.row(start),
            end_row: source.row(end),
            name,
            name_at: head.name.start_byte(),
            name_row: source.row(head.name.start_byte()),
            kind: head.kind,
            signature,
            head: words,
            container,
            doc: head.doc.map_or(Ok(String::new()), |doc| clean_comment(&source.text_of(doc)))?,
            is_scope: head.is_scope,
            pattern: head.pattern,
            outer,
            qualified: String::new(),
        }))
    }

    /// Where a definition's body begins: a field or, in grammars that name no field, a kind of child.
    fn body(&self, node: Node<'tree>, name: Node) -> Option<Node<'tree>> {
        let fields = self.rules.body_fields.iter().filter_map(|&field| node.child_by_field_id(field));
        let mut cursor = node.walk();
        // Some grammars leave the comments at the head of a body outside of it.
        let child = node.children(&mut cursor).find(|child| {
            let kind = self.rules.kind(child.kind_id());
            kind.is_body || (kind.is_comment && child.start_byte() >= name.end_byte())
        });
        fields.chain(child).min_by_key(Node::start_byte)
    }

    /// What stands before the body; without one, all up to the end of the name's line.
    fn signature(&self, node: Node, name: Node, body: Option<Node>) -> String {
        let (start, end) = (node.start_byte(), node.end_byte());
        let end = match body {
            Some(body) => body.start_byte(),
            None => find_byte(self.source.data, b'\n', name.end_byte(), end).unwrap_or(end),
        };
        let text = self.source.decoded(start, end.min(start + 4 * MAX_SIGNATURE));
        let text = text.trim_end_matches(is_space).trim_end_matches(['{', '=', ':']);
        text.trim_end_matches(is_space).to_owned()
    }
}

/// A name without white space and, but for rules, without what only quotes it.
fn cleaned(written: &str, is_rule: bool) -> Result<String, Unsure> {
    let name = if written.chars().any(is_space) { Cow::Owned(spaced(written)) } else { Cow::Borrowed(written) };
    let name = prefix(&name, MAX_NAME);
    Ok(if is_rule { name } else { bare(name)? }.to_owned())
}

/// A name without what only quotes it: Ruby's symbols, keys in quotes.
pub fn bare(name: &str) -> Result<&str, Unsure> {
    for quote in ['"', '\''] {
        if let Some(inner) = name.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote))
            && !inner.is_empty()
        {
            return Ok(inner);
        }
    }
    let Some(rest) = name.strip_prefix(':') else { return Ok(name) };
    match rest.chars().next() {
        Some(next) if !next.is_ascii() => Err(Unsure),
        Some(next) if next.is_ascii_alphabetic() || next == '_' => Ok(rest),
        _ => Ok(name),
    }
}
