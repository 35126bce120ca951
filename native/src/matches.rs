//! What the matches of a grammar's query say, one by one. Reference: the first half of `cairn.syntax.extract`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tree_sitter::{Node, QueryCursor, QueryMatch, StreamingIterator, Tree};

use crate::comments::Comment;
use crate::hashing::{HashMap, HashSet};
use crate::rules::{Role, Rules};
use crate::source::Source;
use crate::text::{Unsure, find_byte, is_space, line_start};

const MAX_STATEMENT: usize = 20_000;
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// An import, all but what it binds.
pub struct Import {
    pub line: usize,
    pub statement: String,
    /// What stands on the line before it.
    pub before: String,
}

impl Import {
    /// Whether the file offers it to others as its own.
    pub fn is_again(&self) -> bool {
        self.statement.starts_with("export") || self.statement.starts_with("pub ")
    }
}

/// What a match says of a definition.
pub struct Head<'a, 'tree> {
    /// Empty for a scope.
    pub kind: &'a str,
    pub is_scope: bool,
    pub node: Node<'tree>,
    pub name: Node<'tree>,
    pub body: Option<Node<'tree>>,
    pub doc: Option<Node<'tree>>,
    pub container: Option<Node<'tree>>,
    pub pattern: usize,
}

pub type Sections = HashMap<(usize, usize), Vec<(usize, bool)>>;

/// What was found, in the order of matches.
#[derive(Default)]
pub struct Matched<'a, 'tree> {
    pub imports: BTreeMap<(usize, String), Import>,
    /// Where names of calls begin and end, in the order of matches.
    pub calls: Vec<(usize, usize)>,
    pub comments: Vec<Comment>,
    pub given: HashSet<Cow<'a, str>>,
    /// Of each place that holds marks: where they are, and whether they hide.
    pub sections: Sections,
    pub heads: Vec<Head<'a, 'tree>>,
    /// What stands around a node and belongs to it.
    pub wrapped: HashMap<usize, Node<'tree>>,
}

/// All that the matches in a tree say.
pub fn matched<'a, 'tree>(
    rules: &'a Rules,
    tree: &'tree Tree,
    source: &Source<'a>,
) -> Result<Matched<'a, 'tree>, Unsure> {
    let mut found = Matched::default();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&rules.query, tree.root_node(), source.data);
    while let Some(each) = matches.next() {
        let mut holds = true;
        for predicate in &rules.predicates[each.pattern_index] {
            holds = holds && predicate.holds(each.captures, source.text)?;
        }
        if holds {
            found.take(rules, each, source)?;
        }
    }
    found.comments.sort_unstable();
    Ok(found)
}

impl<'a, 'tree> Matched<'a, 'tree> {
    fn take(&mut self, rules: &'a Rules, each: &QueryMatch<'_, 'tree>, source: &Source<'a>) -> Result<(), Unsure> {
        let first = |role: Role| each.captures.iter().find(|other| rules.roles[other.index as usize] == role);
        for (at, capture) in each.captures.iter().enumerate() {
            let node = capture.node;
            let role = rules.roles[capture.index as usize];
            match role {
                Role::Other => continue,
                Role::Comment | Role::Attribute => {
                    self.comments.push(Comment {
                        first_row: source.row(node.start_byte()),
                        // Some grammars let the blank lines after a comment belong to it.
                        last_row: source.row(source.last_byte(node)),
                        start: node.start_byte(),
                        end: node.end_byte(),
                        is_comment: role == Role::Comment,
                    });
                    continue;
                }
                Role::Exported => {
                    self.given.insert(source.text_of(node));
                    continue;
                }
                _ => {}
            }
            if each.captures[..at].iter().any(|before| before.index == capture.index) {
                continue; // of the others, the first of a capture counts
            }
            match role {
                Role::Call => {
                    let name = first(Role::Name).ok_or(Unsure)?.node;
                    self.calls.push((name.start_byte(), name.end_byte()));
                }
                Role::Import => self.import(rules, each, node, source),
                Role::Hides | Role::Shows => {
                    let parent = node.parent().ok_or(Unsure)?;
                    let place = (parent.start_byte(), parent.end_byte());
                    self.sections.entry(place).or_default().push((node.start_byte(), role == Role::Hides));
                }
                Role::Scope | Role::Definition(_) => {
                    if let Some(name) = first(Role::Name) {
                        self.heads.push(Head {
                            kind: if let Role::Definition(kind) = role { &rules.kinds[kind as usize] } else { "" },
                            is_scope: role == Role::Scope,
                            node,
                            name: name.node,
                            body: first(Role::Body).map(|body| body.node),
                            doc: first(Role::Doc).map(|doc| doc.node),
                            container: first(Role::Container).map(|container| container.node),
                            pattern: each.pattern_index,
                        });
                    }
                }
                Role::Wrapper => {
                    let mut cursor = node.walk();
                    self.wrapped.extend(node.children(&mut cursor).map(|child| (child.id(), node)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn import(&mut self, rules: &Rules, each: &QueryMatch, statement: Node, source: &Source) {
        let mut sources = each
            .captures
            .iter()
            .filter(|other| rules.roles[other.index as usize] == Role::Source)
            .map(|other| other.node);
        let Some(first) = sources.next() else { return };
        // A path may come in parts: what is asked for is all of it.
        let last = sources.next_back().unwrap_or(first);
        let at = first.start_byte();
        let text = source.decoded(at, last.end_byte());
        let written = unquoted(&text);
        if written.is_empty() {
            return;
        }
        let (start, mut end) = (statement.start_byte(), statement.end_byte());
        if source.data[start..].starts_with(b"require") {
            // What is taken of the module stands behind the call.
            end = find_byte(source.data, b'\n', end, source.data.len()).unwrap_or(end);
        }
        let import = Import {
            line: source.row(at) + 1,
            statement: source.decoded(start, end.min(start + MAX_STATEMENT)).into_owned(),
            before: source.decoded(line_start(source.data, start), start).into_owned(),
        };
        self.imports.insert((at, written.to_owned()), import);
    }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim_matches(is_space);
    if text.contains(" . ") && !text.starts_with(QUOTES) && text.ends_with(QUOTES) {
        return text; // PHP puts a path together of which the last part is quoted
    }
    text.trim_matches(['"', '\'', '`', '<', '>', ';']).trim_matches(is_space)
}
