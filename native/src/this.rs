//! The places of `this`, and the class of each. Reference: `this_of` of `cairn.syntax.ties`.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::roles::has_child;
use crate::shapes::is;
use crate::source::Source;
use crate::ties::Tied;
use crate::ways::Way;

/// A place of `this`.
pub struct This<'a> {
    pub line: usize,
    pub column: usize,
    pub tied: Tied,
    /// The name of the class.
    pub class: Cow<'a, str>,
}

/// What `this` is at the end of a way, whether it is its last frame or a sign below.
pub fn this_at<'a>(way: &Way, node: Node, source: &Source<'a>) -> Option<This<'a>> {
    if &source.data[node.byte_range()] != b"this" {
        return None;
    }
    let point = node.start_position();
    let (tied, class) = class_of(way, node, source).unwrap_or((Tied::Variable, "".into()));
    Some(This { line: point.row + 1, column: point.column, tied, class })
}

fn class_of<'a>(way: &Way, node: Node, source: &Source<'a>) -> Option<(Tied, Cow<'a, str>)> {
    let path = &way.path;
    let below = if way.leaf().node == node { path.len() - 1 } else { path.len() };
    let mut own = false;
    let mut is_static = false;
    let says_static = |node| has_child(node, |kind| kind == "static");
    for at in (0..below).rev() {
        let (frame, above) = (&path[at], at.checked_sub(1).map(|above| &path[above]));
        let kind = frame.shape.kind;
        if frame.shape.is(is::UNBOUND) || (kind == "object_creation_expression" && own) {
            return None;
        }
        if kind == "method_definition" {
            if above.is_none_or(|above| above.shape.kind != "class_body") {
                return None;
            }
            (own, is_static) = (true, says_static(frame.node));
        } else if frame.shape.is(is::CLASS_FIELD) {
            (own, is_static) = (true, says_static(frame.node));
        } else if kind == "class_static_block" {
            (own, is_static) = (true, true);
        } else if kind == "class_body" {
            own = true;
            let Some(class) = above.filter(|above| above.shape.kind != "object_creation_expression") else { continue };
            let holder = at.checked_sub(2).map(|holder| &path[holder]);
            // The name of a class, or of what it is the value of.
            let name = class.node.child_by_field_name("name").or_else(|| {
                let holder = holder.filter(|holder| holder.shape.kind == "variable_declarator")?;
                holder.node.child_by_field_name("name")
            });
            if name.is_none() && class.shape.kind == "class" {
                return None;
            }
            let tied = if is_static { Tied::Definition } else { Tied::Parameter };
            return Some((tied, name.map_or("".into(), |name| source.text_of(name))));
        }
    }
    None
}
