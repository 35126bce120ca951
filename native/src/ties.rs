//! What a bare word is tied to, place by place: a local, a parameter, or what the file around it offers.
//! Reference: `cairn.syntax.ties`.

use crate::hashing::HashMap;
use crate::occurrences::{Names, Occurrence, Role};
use crate::scopes::{FILE, NameId, ScopeId, ScopeKind};

/// What a word means at a place; the numbers are those of stored rows.
#[derive(Clone, Copy)]
pub enum Tied {
    Free = 1,
    Parameter = 2,
    Definition = 3,
    Variable = 4,
}

/// What a word is tied to.
pub struct Tie<'n> {
    pub tied: Tied,
    /// The qualified name of the definition whose parameter it is.
    pub function: &'n str,
    /// Whether it is given another value.
    pub again: bool,
}

/// The occurrences of one name that one scope is bound by.
struct Binding<'n> {
    all: Vec<&'n Occurrence>,
    imported: bool,
    written: bool,
    only_defined: bool,
    /// The first that is a parameter.
    head: Option<&'n Occurrence>,
    again: bool,
}

/// The ties of a file's names.
pub struct Ties<'n, 'r, 'a> {
    names: &'n Names<'r, 'a>,
    bindings: HashMap<(ScopeId, NameId), Binding<'n>>,
}

impl<'n, 'r, 'a> Ties<'n, 'r, 'a> {
    pub fn new(names: &'n Names<'r, 'a>) -> Self {
        let mut bindings: HashMap<(ScopeId, NameId), Binding> = HashMap::default();
        for one in &names.found {
            let Some(scope) = one.binds else { continue };
            let binding = bindings.entry((scope, one.name)).or_insert_with(|| Binding {
                all: Vec::new(),
                imported: false,
                written: false,
                only_defined: true,
                head: None,
                again: false,
            });
            binding.imported |= one.role == Role::Import;
            binding.written |= one.role == Role::Write;
            binding.only_defined &= defines(names, one);
            binding.again |= !one.parameter && matches!(one.role, Role::Write | Role::Definition);
            if one.parameter && binding.head.is_none() {
                binding.head = Some(one);
            }
            binding.all.push(one);
        }
        Self { names, bindings }
    }

    /// What an occurrence is tied to; None for one that isn't a bare name or an import.
    pub fn of(&self, one: &Occurrence) -> Option<Tie<'n>> {
        (one.bare && one.role != Role::Import).then(|| self.tie(one))
    }

    fn tie(&self, one: &Occurrence) -> Tie<'n> {
        let plain = |tied: Tied, again: bool| Tie { tied, function: "", again };
        let Some((scope, bound)) = self.names.meaning(one) else {
            let top = self.bindings.get(&(FILE, one.name));
            return plain(Tied::Free, top.is_some_and(|top| top.written));
        };
        let Some(binding) = self.bindings.get(&(scope, one.name)) else {
            return plain(if bound.local { Tied::Variable } else { Tied::Free }, false);
        };
        if !bound.local {
            let written = binding.written || binding.head.is_some();
            return plain(if binding.imported && written { Tied::Variable } else { Tied::Free }, written);
        }
        let (only_defined, head, again) = if self.names.scopes.shapes.scoping.hoisted {
            (binding.only_defined, binding.head, binding.again)
        } else {
            // The last before the place hides those before it.
            let begun = binding.all.partition_point(|each| each.start <= one.start);
            let last = binding.all[begun.saturating_sub(1)];
            (defines(self.names, last), Some(last).filter(|last| last.parameter), false)
        };
        if only_defined {
            return plain(Tied::Definition, self.names.scopes.shapes.scoping.hoisted && binding.all.len() > 1);
        }
        match head.map_or("", |head| self.holder(head, scope)) {
            "" => plain(Tied::Variable, false),
            function => Tie { tied: Tied::Parameter, function, again },
        }
    }

    /// The definition whose own parameter it is; empty for that of a clause, or of a function without a name, inside.
    fn holder(&self, head: &Occurrence, scope: ScopeId) -> &'n str {
        let scopes = &self.names.scopes;
        let Some(inner) = self.names.marks.around(head.start) else { return "" };
        let function = scopes.of(scope);
        if function.kind != ScopeKind::Function || function.type_name() == "lambda" {
            return "";
        }
        let outer = function.parent.map_or(function, |parent| scopes.of(scopes.function(parent)));
        if outer.kind != ScopeKind::Root && outer.start >= inner.start { "" } else { &inner.qualified }
    }

    /// Whether an occurrence gives its word another value at the file's top, or lets a function do so.
    pub fn rebinds(&self, one: &Occurrence) -> bool {
        let Some(scope) = one.binds.filter(|_| one.bare && one.role != Role::Import) else { return false };
        match self.names.meaning(one) {
            None => self.names.scopes.of(scope).kind == ScopeKind::Root,
            Some((scope, bound)) => self.names.scopes.of(scope).kind == ScopeKind::Function && !bound.local,
        }
    }
}

fn defines(names: &Names, one: &Occurrence) -> bool {
    let named = names.marks.names.get(&one.start);
    named.is_some_and(|named| names.scopes.shapes.kinds.defined.contains(named.kind))
}
