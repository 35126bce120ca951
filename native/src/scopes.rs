//! Where a name is bound: the scopes around a place, and what each binds. Reference: `cairn.syntax.scopes`.

use crate::hashing::{HashMap, HashSet};
use crate::shapes::{Field, Shape, Shapes, is, pair};
use crate::ways::Frame;

/// The number of a scope; that of the file is 0.
pub type ScopeId = usize;
/// The number of a name among the texts of a file.
pub type NameId = u32;

pub const FILE: ScopeId = 0;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScopeKind {
    Root,
    Space,
    Block,
    Function,
}

/// One binding of a name in a scope, and the bytes in which it holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    pub start: usize,
    pub end: usize,
    /// False for members, imports and what is declared global: names that mean something elsewhere.
    pub local: bool,
}

/// A part of a file in which names are bound.
pub struct Scope {
    pub kind: ScopeKind,
    /// The kind of its node; of the file, none.
    pub shape: Option<Shape>,
    pub start: usize,
    pub end: usize,
    pub parent: Option<ScopeId>,
}

impl Scope {
    pub fn is(&self, bits: u64) -> bool {
        self.shape.is_some_and(|shape| shape.is(bits))
    }

    pub fn type_name(&self) -> &'static str {
        self.shape.map_or("", |shape| shape.kind)
    }
}

/// The scopes of one file, made as they are met.
pub struct Scopes<'s> {
    pub shapes: &'s Shapes,
    all: Vec<Scope>,
    known: HashMap<(usize, usize, ScopeKind, &'static str), ScopeId>,
    bound: HashMap<(ScopeId, NameId), Vec<Bound>>,
    /// The scopes that bind a name.
    binding: HashMap<NameId, Vec<ScopeId>>,
    /// Names that belong to a scope further out though they are assigned here (`nonlocal`).
    passed: HashSet<(ScopeId, NameId)>,
}

impl<'s> Scopes<'s> {
    pub fn new(shapes: &'s Shapes, size: usize) -> Self {
        let root = Scope { kind: ScopeKind::Root, shape: None, start: 0, end: size + 1, parent: None };
        Self {
            shapes,
            all: vec![root],
            known: HashMap::default(),
            bound: HashMap::default(),
            binding: HashMap::default(),
            passed: HashSet::default(),
        }
    }

    pub fn of(&self, scope: ScopeId) -> &Scope {
        &self.all[scope]
    }

    /// The nearest function, this scope included; the root where there is none.
    pub fn function(&self, mut scope: ScopeId) -> ScopeId {
        while !matches!(self.all[scope].kind, ScopeKind::Function | ScopeKind::Root) {
            let Some(parent) = self.all[scope].parent else { break };
            scope = parent;
        }
        scope
    }

    /// The scope in which a child of the last frame stands.
    pub fn inside(&mut self, above: &mut [Frame], field: Field) -> ScopeId {
        let Some((frame, outside)) = above.split_last_mut() else { return FILE };
        let (outer, shape) = (frame.scope, frame.shape);
        if shape.is(is::FUNCTION | is::SPACE) {
            let around = *frame.around.get_or_insert_with(|| {
                let typed = shape.is(is::WITH_BODIES) && frame.node.child_by_field_name("type_parameters").is_some();
                if typed { self.scope(ScopeKind::Block, shape, frame.start, frame.end, outer) } else { outer }
            });
            if shape.is(is::WITH_BODIES) && !self.shapes.pair(shape, field, pair::IN_BODY) {
                return around;
            }
            let kind = if shape.is(is::FUNCTION) { ScopeKind::Function } else { ScopeKind::Space };
            return *frame.own.get_or_insert_with(|| self.scope(kind, shape, frame.start, frame.end, around));
        }
        if shape.is(is::BLOCK) {
            let in_space = outside.last().is_some_and(|above| above.shape.is(is::SPACE));
            if in_space && shape.kind == "statement_block" {
                return outer; // the body of a namespace
            }
            return *frame
                .own
                .get_or_insert_with(|| self.scope(ScopeKind::Block, shape, frame.start, frame.end, outer));
        }
        if shape.is(is::PROTOTYPE) && !heads_function(outside) {
            return *frame
                .own
                .get_or_insert_with(|| self.scope(ScopeKind::Block, shape, frame.start, frame.end, outer));
        }
        if self.shapes.pair(shape, field, pair::OUTSIDE)
            && self.all[outer].kind == ScopeKind::Function
            && let Some(parent) = self.all[outer].parent
            && (shape.kind != "for_in_clause" || is_first(frame, outside))
        {
            return parent; // evaluated where the function is made
        }
        outer
    }

    fn scope(&mut self, kind: ScopeKind, shape: Shape, start: usize, end: usize, parent: ScopeId) -> ScopeId {
        *self.known.entry((start, end, kind, shape.kind)).or_insert_with(|| {
            self.all.push(Scope { kind, shape: Some(shape), start, end, parent: Some(parent) });
            self.all.len() - 1
        })
    }

    /// What a scope binds a name to.
    pub fn entries(&self, scope: ScopeId, name: NameId) -> &[Bound] {
        self.bound.get(&(scope, name)).map_or(&[], Vec::as_slice)
    }

    pub fn is_passed(&self, scope: ScopeId, name: NameId) -> bool {
        self.passed.contains(&(scope, name))
    }

    /// Let a name belong to a scope further out.
    pub fn pass(&mut self, scope: ScopeId, name: NameId) {
        self.passed.insert((scope, name));
    }

    /// What a scope binds a name to, to be added to.
    pub fn entries_mut(&mut self, scope: ScopeId, name: NameId) -> &mut Vec<Bound> {
        self.bound.entry((scope, name)).or_insert_with(|| {
            self.binding.entry(name).or_default().push(scope);
            Vec::new()
        })
    }

    /// Let a name of a scope mean what it means elsewhere.
    pub fn declare_global(&mut self, scope: ScopeId, name: NameId) {
        let end = self.all[scope].end;
        *self.entries_mut(scope, name) = vec![Bound { start: 0, end, local: false }];
    }

    /// What binds a bare name at a place; None when nothing in the file's inner scopes does.
    pub fn meaning(&self, name: NameId, at: usize, scope: ScopeId) -> Option<(ScopeId, Bound)> {
        if !self.binding.contains_key(&name) {
            return None; // as are most names
        }
        let mut here = scope;
        let mut first = true;
        loop {
            let found = &self.all[here];
            if found.kind == ScopeKind::Root {
                return None;
            }
            let entries = self.entries(here, name);
            if !entries.is_empty() {
                let is_space = found.kind == ScopeKind::Space;
                let seen = !is_space || first || self.shapes.scoping.members_seen_within;
                let entry = if seen && !self.is_passed(here, name) {
                    entries.iter().rfind(|each| each.start <= at && at < each.end)
                } else if is_space {
                    // Type parameters of a class are seen in its methods; its members may not be.
                    entries.iter().rfind(|each| each.local)
                } else {
                    None
                };
                if let Some(entry) = entry {
                    return Some((here, *entry));
                }
            }
            if found.is(is::OPAQUE) {
                return None;
            }
            first = false;
            here = found.parent?;
        }
    }

    /// Whether some scope around a place binds a name locally: for places that are no occurrences.
    pub fn hides(&self, name: NameId, at: usize) -> bool {
        self.binding.get(&name).into_iter().flatten().any(|&scope| {
            let found = &self.all[scope];
            scope != FILE
                && found.start <= at
                && at < found.end
                && self.entries(scope, name).iter().any(|each| each.local)
        })
    }
}

/// Whether a frame is the first clause of its comprehension.
fn is_first(frame: &Frame, outside: &[Frame]) -> bool {
    let Some(above) = outside.last() else { return false };
    let mut cursor = above.node.walk();
    above
        .node
        .named_children(&mut cursor)
        .find(|each| each.kind_id() == frame.node.kind_id())
        .is_some_and(|each| each.start_byte() == frame.start)
}

fn heads_function(outside: &[Frame]) -> bool {
    outside
        .iter()
        .rfind(|each| !each.shape.is(is::DECLARATOR))
        .is_some_and(|each| matches!(each.shape.kind, "function_definition" | "lambda_expression"))
}
