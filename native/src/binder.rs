//! What the names of a file bind, noted in its scopes. Reference: `Binder` of `cairn.syntax.occurrences`.

use crate::roles::has_child;
use crate::scopes::{Bound, NameId, ScopeId, ScopeKind, Scopes};
use crate::shapes::{Where, is};
use crate::text::Unsure;
use crate::ways::{Frame, Way};

/// A name at the end of a way, with what may bind it.
pub struct Binder<'w, 's, 'tree> {
    pub way: &'w Way<'s, 'tree>,
    pub scopes: &'w mut Scopes<'s>,
    /// The place in the way of the node that may bind the name.
    pub at: usize,
    pub name: NameId,
    pub text: &'w str,
}

impl<'w, 'tree> Binder<'w, '_, 'tree> {
    /// The scope that the name is bound in here, where it is noted; None where it is only used.
    pub fn bind(mut self) -> Result<Option<ScopeId>, Unsure> {
        let way = self.way;
        let rules = &way.shapes.scoping;
        let (owner, below, leaf) = (self.frame(0), &way.path[self.at + 1], way.leaf());
        if !rules.variables.is_empty() {
            return Ok(self.variable());
        }
        match owner.shape.kind {
            "global_statement" => {
                self.scopes.declare_global(leaf.scope, self.name);
                return Ok(None);
            }
            "nonlocal_statement" => {
                self.scopes.pass(leaf.scope, self.name);
                return Ok(None);
            }
            _ => {}
        }
        if leaf.imported {
            return Ok(if self.imports() { Some(self.note(leaf.scope, 0, false, None)) } else { None });
        }
        let Some(place) = way.shapes.binder(owner.shape, below.field) else { return Ok(None) };
        if !self.really_binds()? {
            return Ok(None);
        }
        let scope = match place {
            Where::Own => below.scope,
            Where::Declared => self.declared(),
            Where::Assigned => self.assigned(owner.scope),
            Where::Block | Where::Types => owner.scope,
        };
        let kind = self.scopes.of(scope).kind;
        let mut seen_from = 0;
        let in_order = matches!(kind, ScopeKind::Block | ScopeKind::Function) && !rules.hoisted;
        if in_order && !owner.shape.is(is::FROM_ITS_NAME) {
            let body = if place == Where::Own { owner.node.child_by_field_name("body") } else { None };
            seen_from = match body {
                _ if owner.shape.is(is::PARAMETER) || place == Where::Types => leaf.start,
                Some(body) => body.start_byte(),
                None if place == Where::Own => leaf.end,
                None => owner.end,
            };
        } else if owner.shape.kind == "type_spec" && kind != ScopeKind::Root {
            seen_from = leaf.start; // in itself, and from there on
        }
        let cut_at = self.cut_at(scope);
        Ok(Some(self.note(scope, seen_from, place == Where::Types || kind != ScopeKind::Space, cut_at)))
    }

    /// What may bind the name, or a frame so many above it; the root where there are fewer.
    fn frame(&self, up: usize) -> &'w Frame<'tree> {
        &self.way.path[self.at.saturating_sub(up)]
    }

    /// Where what a condition binds ends before its scope does: an `else` doesn't see it.
    fn cut_at(&self, scope: ScopeId) -> Option<usize> {
        let scope = self.scopes.of(scope);
        let field = self.way.shapes.scoping.cut_at.get(scope.type_name())?;
        let begun = self.way.path.partition_point(|each| each.start < scope.start);
        let mut around = self.way.path[begun..].iter().take_while(|each| each.start == scope.start);
        let held = around.find(|each| each.shape.kind == scope.type_name())?;
        held.node.child_by_field_name(field).map(|rest| rest.start_byte())
    }

    fn really_binds(&self) -> Result<bool, Unsure> {
        let way = self.way;
        let (owner, below, leaf) = (self.frame(0), &way.path[self.at + 1], way.leaf());
        let kind = owner.shape.kind;
        let in_pattern =
            matches!(kind, "match_arm" | "let_condition" | "let_declaration" | "for_expression" | "case_clause");
        if way.shapes.scoping.constants_in_patterns
            && leaf.shape.kind == "identifier"
            && in_pattern
            && is_capitalised(self.text)?
        {
            return Ok(false);
        }
        Ok(match kind {
            // Python's grammar has one word for parameters and arguments.
            "type_parameter" if self.frame(1).shape.kind == "generic_type" => false,
            "enumerator" => below.start == owner.start,
            "switch_pattern" => leaf.field.name == "bound_identifier",
            "range_clause" | "receive_statement" => has_child(owner.node, |kind| kind == ":="),
            "for_in_statement" => owner.node.child_by_field_name("kind").is_some(),
            "assignment" | "operator_assignment" if leaf.shape.kind == "constant" => false,
            "keyword_pattern" | "let_clause" => leaf.start != owner.start,
            _ => {
                let direct = below.field.name.is_empty()
                    && owner.shape.is(is::ONLY_DIRECT)
                    && !matches!(below.shape.kind, "assignment_statement" | "variable_list");
                !direct || (self.at + 2 == way.path.len() && !self.follows_equals())
            }
        })
    }

    fn follows_equals(&self) -> bool {
        let before = self.way.before(self.way.place(self.way.path.len() - 1));
        before.is_some_and(|before| self.way.shape_at(before).kind == "=")
    }

    fn declared(&self) -> ScopeId {
        let owner = self.frame(0);
        if owner.shape.kind == "for_in_statement" {
            let kind = owner.node.child_by_field_name("kind");
            let by_var = kind.is_some_and(|kind| kind.kind() == "var");
            return if by_var { self.scopes.function(owner.scope) } else { self.way.path[self.at + 1].scope };
        }
        let by_var = self.frame(1).shape.kind == "variable_declaration";
        if by_var { self.scopes.function(owner.scope) } else { owner.scope }
    }

    /// The nearest function that is no comprehension.
    fn assigned(&self, scope: ScopeId) -> ScopeId {
        let mut scope = self.scopes.function(scope);
        while self.scopes.of(scope).is(is::COMPREHENSION)
            && let Some(parent) = self.scopes.of(scope).parent
        {
            let in_block = self.scopes.of(parent).kind == ScopeKind::Block;
            scope = if in_block { self.scopes.function(parent) } else { parent };
        }
        scope
    }

    fn variable(&mut self) -> Option<ScopeId> {
        let scope = self.scopes.function(self.way.leaf().scope);
        if self.scopes.of(scope).kind == ScopeKind::Root || self.text == "this" {
            return None;
        }
        if self.way.up(2).shape.kind == "global_declaration" {
            self.scopes.declare_global(scope, self.name);
        } else if self.scopes.entries(scope, self.name).is_empty() {
            self.note(scope, 0, true, None);
        }
        Some(scope)
    }

    /// Whether a name in an import is the one that it binds.
    fn imports(&self) -> bool {
        let (leaf, parent) = (self.way.leaf(), self.way.up(1));
        let at_top = self.scopes.of(leaf.scope).kind == ScopeKind::Root;
        if at_top || leaf.field.name == "alias" || parent.shape.kind != "dotted_name" {
            return !at_top && leaf.field.name != "path";
        }
        match self.way.up(2).shape.kind {
            "import_statement" => leaf.start == parent.start,
            "aliased_import" => false,
            _ => parent.field.name == "name",
        }
    }

    fn note(&mut self, scope: ScopeId, seen_from: usize, local: bool, cut_at: Option<usize>) -> ScopeId {
        let end = cut_at.unwrap_or(self.scopes.of(scope).end);
        let entries = self.scopes.entries_mut(scope, self.name);
        let is_given = entries.first().is_some_and(|first| !first.local && first.start == 0);
        let bound = Bound { start: seen_from, end, local };
        // What is said to be global, or imported, stays so.
        if !(is_given && local) && entries.last() != Some(&bound) {
            entries.push(bound);
        }
        scope
    }
}

/// `str.isupper` of the first character; only the reference can tell of those beyond ASCII.
fn is_capitalised(text: &str) -> Result<bool, Unsure> {
    match text.as_bytes().first() {
        Some(first) if !first.is_ascii() => Err(Unsure),
        first => Ok(first.is_some_and(u8::is_ascii_uppercase)),
    }
}
