//! Every place of a name in the code of one file: what it does there and what it is bound to.
//! Reference: `cairn.syntax.occurrences`.

use std::borrow::Cow;

use pyo3::prelude::*;
use tree_sitter::Node;

use crate::binder::Binder;
use crate::chains::Chains;
use crate::macros::{BODY, MacroBody, body_at};
use crate::marks::Marks;
use crate::quoted::{Quoted, is_annotation};
use crate::roles::{is_declared, is_keyword, is_shorthand, receiver, target, writes};
use crate::scopes::{Bound, FILE, NameId, ScopeId, ScopeKind, Scopes};
use crate::shapes::{Shapes, is};
use crate::source::Source;
use crate::strings::Strings;
use crate::text::Unsure;
use crate::this::{This, this_at};
use crate::values::Values;
use crate::ways::{Reader, Way};

/// What a name does where it stands; the numbers are those of stored rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Definition = 0,
    Import = 1,
    Call = 2,
    Write = 3,
    Type = 4,
    Read = 5,
}

/// One place of a name.
pub struct Occurrence {
    pub start: usize,
    pub line: usize,
    pub column: usize,
    pub name: NameId,
    pub role: Role,
    pub receiver: u32,
    pub keyword: bool,
    /// Whether one word is a key and a variable: `{ name }`.
    pub shorthand: bool,
    pub bare: bool,
    pub binds: Option<ScopeId>,
    pub parameter: bool,
    scope: ScopeId,
}

/// The names of a file, as they are read on the way through its tree.
pub struct Names<'r, 'a> {
    pub source: &'r Source<'a>,
    pub values: &'r Values,
    pub marks: &'r Marks<'a>,
    pub scopes: Scopes<'r>,
    pub strings: Strings<'a>,
    pub found: Vec<Occurrence>,
    pub quoted: Vec<Quoted>,
    pub bodies: Vec<MacroBody<'a>>,
    pub this: Vec<This<'a>>,
    /// Whether annotations may be written in quotes.
    pub asks_quoted: bool,
    /// `unicodedata.normalize("NFC", text)`
    pub normalized: &'r Py<PyAny>,
}

impl<'r, 'a> Names<'r, 'a> {
    /// Names that are no identifiers of the grammar: of definitions symbols, keys and operators, and words of the
    /// language that are called, as in `this(1)`.
    pub fn add_named_otherwise(&mut self) {
        let (source, marks) = (self.source, self.marks);
        let read = self.found.len();
        for each in marks.names.values().filter(|each| each.leaf) {
            // Elsewhere white space was mended in it.
            if !self.is_read(each.start, read)
                && !each.name.is_empty()
                && source.decoded(each.start, each.end) == each.name
            {
                self.add_otherwise(each.start, Cow::Owned(each.name.clone()), Role::Definition);
            }
        }
        for (&start, &end) in &marks.calls {
            let word = &source.data[start..end];
            if !self.is_read(start, read) && !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic) {
                self.add_otherwise(start, source.decoded(start, end), Role::Call);
            }
        }
        self.found.sort_by_key(|one| one.start);
    }

    /// Whether a name that begins at a place is among the first that were found.
    fn is_read(&self, start: usize, read: usize) -> bool {
        self.found[..read].binary_search_by_key(&start, |one| one.start).is_ok()
    }

    fn add_otherwise(&mut self, start: usize, name: Cow<'a, str>, role: Role) {
        let row = self.source.row(start);
        let name = self.normal(name);
        self.found.push(Occurrence {
            start,
            line: row + 1,
            column: start - self.source.lines[row],
            name: self.strings.number(name),
            role,
            receiver: self.strings.number("".into()),
            keyword: false,
            shorthand: false,
            bare: false,
            binds: None,
            parameter: false,
            scope: FILE,
        });
    }

    /// The scope that binds a name as it is used there, and the binding; None where the file doesn't say.
    pub fn meaning(&self, one: &Occurrence) -> Option<(ScopeId, Bound)> {
        if !one.bare || (one.role == Role::Call && self.shapes().scoping.called_apart) {
            return None;
        }
        if let Some(scope) = one.binds
            && self.scopes.of(scope).kind != ScopeKind::Root
            && !self.scopes.is_passed(scope, one.name)
        {
            let entries = self.scopes.entries(scope, one.name);
            let own = entries.iter().rfind(|each| each.start <= one.start && one.start < each.end);
            if let Some(bound) = own.or(entries.last()) {
                return Some((scope, *bound));
            }
        }
        self.scopes.meaning(one.name, one.start, one.scope)
    }

    fn shapes(&self) -> &'r Shapes {
        self.scopes.shapes
    }

    /// A name as it is compared: letters with accents may be written in several ways.
    fn normal(&self, name: Cow<'a, str>) -> Cow<'a, str> {
        // Nothing before the combining marks decomposes into another form.
        if name.is_ascii() || name.chars().all(|character| character < '\u{300}') {
            return name;
        }
        let told = Python::attach(|py| self.normalized.call1(py, (&*name,))?.extract::<String>(py));
        told.map_or(name, Cow::Owned)
    }

    /// Where the name ends that a leaf is; None for a leaf that is none.
    fn end_of_name(&self, way: &Way) -> Option<usize> {
        let leaf = way.leaf();
        if leaf.start == leaf.end || leaf.node.is_missing() {
            return None;
        }
        if leaf.shape.kind != "string_content" {
            return leaf.shape.is(is::NAME).then_some(leaf.end);
        }
        // Kotlin's `"$name"`, which its grammar leaves a text.
        let (data, start) = (self.source.data, leaf.start);
        if !self.shapes().scoping.templates || !data[..start].ends_with(b"$") || data[..start].ends_with(b"\\$") {
            return None;
        }
        let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
        let size = data[start..leaf.end].iter().take_while(|&&byte| is_word(byte)).count();
        (size > 0 && !data[start].is_ascii_digit()).then_some(start + size)
    }

    fn role(&self, way: &Way, at: usize, taken: bool, keyword: bool, binds: bool) -> Role {
        let (leaf, parent) = (way.leaf(), way.up(1));
        if self.marks.names.contains_key(&leaf.start) {
            return Role::Definition;
        }
        if leaf.imported {
            return Role::Import;
        }
        if keyword || parent.shape.is(is::JSX) || (taken && way.path.len() > 2 && way.up(2).shape.is(is::JSX)) {
            return Role::Read;
        }
        let written = writes(way, taken);
        if binds && !self.shapes().scoping.variables.is_empty() {
            let above = way.up(2).shape.kind;
            return match written {
                _ if above.contains("parameter") || above == "catch_clause" => Role::Definition,
                true => Role::Write,
                false => Role::Read,
            };
        }
        if (binds && (!written || way.path[at].shape.is(is::DECLARING))) || (!taken && is_declared(way)) {
            return Role::Definition;
        }
        if written {
            return Role::Write;
        }
        if self.marks.calls.contains_key(&leaf.start) || self.is_called_token(way) {
            return Role::Call;
        }
        if leaf.typed || leaf.shape.kind == "type_identifier" { Role::Type } else { Role::Read }
    }

    /// In a macro's tokens a name before parentheses is called.
    fn is_called_token(&self, way: &Way) -> bool {
        way.up(1).shape.kind == "token_tree"
            && way.leaf().node.next_sibling().is_some_and(|after| {
                after.kind() == "token_tree" && self.source.data[after.byte_range()].first() == Some(&b'(')
            })
    }
}

impl<'r, 'tree> Reader<'r, 'tree> for Names<'r, '_> {
    fn leaf(&mut self, way: &Way<'r, 'tree>) -> Result<(), Unsure> {
        let leaf = way.leaf();
        if leaf.shape.is(is::THIS) {
            self.sign(way, leaf.node);
        }
        if self.asks_quoted && leaf.shape.kind == "string_content" && is_annotation(way, self.source) {
            self.quoted.push(Quoted { start: leaf.start, end: leaf.end });
        }
        if leaf.shape.kind == BODY {
            self.bodies.extend(body_at(way, self.source, &self.shapes().kinds.macros));
        }
        let Some(end) = self.end_of_name(way) else { return Ok(()) };
        let text = self.normal(self.source.decoded(leaf.start, end));
        let name = self.strings.number(text.clone());
        let chains = Chains { values: self.values, shapes: self.shapes(), source: self.source };
        let taken = receiver(way, &chains);
        let is_named = self.marks.names.get(&leaf.start);
        // An empty receiver is one, too, but for keys.
        let keyword = taken.as_ref().is_none_or(|taken| taken.is_empty()) && is_named.is_none() && is_keyword(way);
        let variables = !self.shapes().scoping.variables.is_empty();
        let mut bare = taken.is_none()
            && !keyword
            && !leaf.shape.is(is::NEVER_BARE)
            && !way.up(1).shape.is(is::LABEL)
            && (!variables || way.up(1).shape.is(is::VARIABLE));
        let at = if bare { target(way, &way.path, true) } else { 0 };
        let mut binds =
            if bare { Binder { way, scopes: &mut self.scopes, at, name, text: &text }.bind()? } else { None };
        if is_named.is_some_and(|named| self.shapes().kinds.members.contains(named.kind)) {
            (bare, binds) = (false, None); // it hides what has its name further out, and is no local itself
        }
        let role = self.role(way, at, taken.is_some(), keyword, binds.is_some());
        if binds.is_none() && is_named.is_some() {
            bare = false; // a definition that no rule of the language says to be local
        }
        let point = leaf.node.start_position();
        let owner = &way.path[at];
        let in_head = owner.shape.is(is::PARAMETER) || way.path[at + 1].field.is(is::PARAMETER_FIELD);
        self.found.push(Occurrence {
            start: leaf.start,
            line: point.row + 1,
            column: point.column,
            name,
            role,
            receiver: self.strings.number(taken.unwrap_or_default()),
            keyword,
            shorthand: is_shorthand(way),
            bare,
            parameter: binds.is_some() && in_head,
            binds,
            scope: leaf.scope,
        });
        Ok(())
    }

    fn sign(&mut self, way: &Way<'r, 'tree>, node: Node<'tree>) {
        self.this.extend(this_at(way, node, self.source));
    }

    fn scopes(&mut self) -> &mut Scopes<'r> {
        &mut self.scopes
    }
}
