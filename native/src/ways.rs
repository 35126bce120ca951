//! The way through a syntax tree to each name in it. Reference: `cairn.syntax.ways`.
//!
//! No function here calls itself: a tree may be as deep as a file is long.

use std::cell::Cell;

use tree_sitter::{Node, Tree};

use crate::scopes::{FILE, ScopeId, Scopes};
use crate::shapes::{Field, Shape, Shapes, is};
use crate::text::Unsure;

/// One node of the way from the root to a name, and what holds inside of it.
pub struct Frame<'tree> {
    pub node: Node<'tree>,
    pub shape: Shape,
    pub field: Field,
    pub start: usize,
    pub end: usize,
    /// What its own name or place belongs to: the scope in which the node stands.
    pub scope: ScopeId,
    pub imported: bool,
    pub typed: bool,
    /// Its place among the siblings that were met.
    place: Place,
    /// What its patterns stand in, without and with what binds names, once asked for.
    pub target: [Cell<Option<usize>>; 2],
    /// The scope around its parts that stand outside of it, once asked for.
    pub around: Option<ScopeId>,
    /// The scope that it is, once asked for.
    pub own: Option<ScopeId>,
}

/// The place of a node among those that were met.
#[derive(Clone, Copy)]
pub struct Place {
    at: usize,
    /// Where the children of its parent begin.
    first: usize,
}

/// The frames around a place from the root on.
pub struct Way<'s, 'tree> {
    pub shapes: &'s Shapes,
    pub path: Vec<Frame<'tree>>,
    /// The children so far of each node of the path: asking a node for the one before it starts from the root.
    met: Vec<Node<'tree>>,
}

/// What is told of the leaves of a tree.
pub trait Reader<'s, 'tree> {
    /// A named leaf: the last frame of the way.
    fn leaf(&mut self, way: &Way<'s, 'tree>) -> Result<(), Unsure>;
    /// A leaf that is a sign or a keyword, below the last frame.
    fn sign(&mut self, way: &Way<'s, 'tree>, node: Node<'tree>);
    fn scopes(&mut self) -> &mut Scopes<'s>;
}

/// Go to every leaf of a tree.
pub fn walk<'s, 'tree>(
    shapes: &'s Shapes,
    tree: &'tree Tree,
    reader: &mut impl Reader<'s, 'tree>,
) -> Result<(), Unsure> {
    let mut cursor = tree.walk();
    let mut way = Way { shapes, path: Vec::new(), met: Vec::new() };
    let none = shapes.field(None);
    way.path.push(way.frame(cursor.node(), none, FILE, Place { at: 0, first: 0 }));
    if !cursor.goto_first_child() {
        return Ok(());
    }
    let mut first = 0;
    loop {
        let node = cursor.node();
        way.met.push(node);
        if node.is_named() {
            way.enter(reader.scopes(), node, shapes.field(cursor.field_id()), first);
            if cursor.goto_first_child() {
                first = way.met.len();
                continue;
            }
            reader.leaf(&way)?;
            way.path.pop();
        } else if shapes.shape(node).is(is::THIS) {
            reader.sign(&way, node);
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || way.path.len() == 1 {
                return Ok(());
            }
            way.met.truncate(first);
            first = way.path.pop().map_or(0, |left| left.place.first);
        }
    }
}

impl<'s, 'tree> Way<'s, 'tree> {
    fn frame(&self, node: Node<'tree>, field: Field, scope: ScopeId, place: Place) -> Frame<'tree> {
        let shape = self.shapes.shape(node);
        let above = self.path.last();
        let offers_again = shape.kind == "export_statement" && node.child_by_field_name("source").is_some();
        Frame {
            node,
            shape,
            field,
            start: node.start_byte(),
            end: node.end_byte(),
            scope,
            imported: above.is_some_and(|above| above.imported || shape.is(is::IMPORT) || offers_again),
            typed: above.is_some_and(|above| is_typed(above.typed, shape, field)),
            place,
            target: Default::default(),
            around: None,
            own: None,
        }
    }

    fn enter(&mut self, scopes: &mut Scopes, node: Node<'tree>, field: Field, first: usize) {
        let scope = scopes.inside(&mut self.path, field);
        let place = Place { at: self.met.len() - 1, first };
        self.path.push(self.frame(node, field, scope, place));
    }

    /// The frame so many above the leaf; the root where there are fewer.
    pub fn up(&self, count: usize) -> &Frame<'tree> {
        &self.path[self.path.len().saturating_sub(1 + count)]
    }

    pub fn leaf(&self) -> &Frame<'tree> {
        self.up(0)
    }

    /// Where the node of a frame stands.
    pub fn place(&self, at: usize) -> Place {
        self.path[at].place
    }

    /// The node beside another and before it.
    pub fn before(&self, place: Place) -> Option<Place> {
        (place.at > place.first).then(|| Place { at: place.at - 1, first: place.first })
    }

    pub fn node(&self, place: Place) -> Node<'tree> {
        self.met[place.at]
    }

    pub fn shape_at(&self, place: Place) -> Shape {
        self.shapes.shape(self.met[place.at])
    }
}

/// Whether a node stands where types do, given that of its parent.
fn is_typed(before: bool, shape: Shape, field: Field) -> bool {
    if shape.is(is::TYPE) || field.is(is::TYPE_FIELD) {
        return true;
    }
    before && !shape.is(is::VALUE) && (!field.is(is::VALUE_FIELD) || shape.is(is::IDENTIFIER))
}
