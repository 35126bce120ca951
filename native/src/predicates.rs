//! The conditions of a query's patterns, as the Python binding of tree-sitter decides them.
//!
//! The crate's own aren't used: it differs from the binding in `#not-any-of?` and in regular expressions, and the
//! reference is the binding. So they are renamed before the query is compiled, which leaves them to be decided here.

use regex::Regex;
use tree_sitter::{Query, QueryCapture, QueryPredicate, QueryPredicateArg};

use crate::text::Unsure;

const RENAMED: &str = "#said-";
const NAMES: [&str; 6] = ["eq?", "not-eq?", "match?", "not-match?", "any-of?", "not-any-of?"];

/// One condition of a pattern.
pub enum Predicate {
    EqualsCapture { capture: u32, other: u32, wanted: bool },
    EqualsText { capture: u32, text: Box<str>, wanted: bool },
    Matches { capture: u32, expression: Expression, wanted: bool },
    IsOneOf { capture: u32, texts: Vec<Box<str>>, wanted: bool },
}

/// A regular expression that gives what Python's `re` gives.
pub struct Expression {
    regex: Regex,
    /// Whether it asks for properties of characters, which are those of Python's tables.
    only_ascii: bool,
}

/// A query whose conditions are left to `predicates_of`.
pub fn without_conditions(query: &str) -> String {
    NAMES.iter().fold(query.to_owned(), |text, name| text.replace(&format!("#{name}"), &format!("{RENAMED}{name}")))
}

/// The conditions of every pattern; a sentence where one isn't known.
pub fn predicates_of(query: &Query) -> Result<Vec<Vec<Predicate>>, String> {
    (0..query.pattern_count())
        .map(|pattern| {
            if !query.property_predicates(pattern).is_empty() || !query.property_settings(pattern).is_empty() {
                return Err("a query has properties".to_owned());
            }
            query.general_predicates(pattern).iter().map(predicate).collect()
        })
        .collect()
}

fn predicate(said: &QueryPredicate) -> Result<Predicate, String> {
    let name = format!("#{}", said.operator);
    let name = name.strip_prefix(RENAMED).unwrap_or_default();
    let wanted = !name.starts_with("not-");
    let Some((&QueryPredicateArg::Capture(capture), rest)) = said.args.split_first() else {
        return Err(format!("#{} is asked of no capture", said.operator));
    };
    match (name.trim_start_matches("not-"), rest) {
        ("eq?", [QueryPredicateArg::Capture(other)]) => Ok(Predicate::EqualsCapture { capture, other: *other, wanted }),
        ("eq?", [QueryPredicateArg::String(text)]) => Ok(Predicate::EqualsText { capture, text: text.clone(), wanted }),
        ("match?", [QueryPredicateArg::String(text)]) => {
            Ok(Predicate::Matches { capture, expression: Expression::new(text)?, wanted })
        }
        ("any-of?", texts) => {
            let texts = texts.iter().map(|text| match text {
                QueryPredicateArg::String(text) => Ok(text.clone()),
                QueryPredicateArg::Capture(_) => Err("#any-of? is given a capture".to_owned()),
            });
            Ok(Predicate::IsOneOf { capture, texts: texts.collect::<Result<_, _>>()?, wanted })
        }
        _ => Err(format!("#{} isn't known", said.operator)),
    }
}

impl Predicate {
    /// Whether a match fulfils it; all nodes of a capture must.
    pub fn holds(&self, captures: &[QueryCapture], text: &str) -> Result<bool, Unsure> {
        let texts = |wanted: u32| {
            captures
                .iter()
                .filter(move |each| each.index == wanted)
                .map(|each| &text.as_bytes()[each.node.byte_range()])
        };
        Ok(match self {
            Self::EqualsCapture { capture, other, wanted } => {
                texts(*capture).zip(texts(*other)).all(|(one, other)| (one == other) == *wanted)
            }
            Self::EqualsText { capture, text, wanted } => {
                texts(*capture).all(|each| (each == text.as_bytes()) == *wanted)
            }
            // The binding asks whether one of the texts is another than the node's.
            Self::IsOneOf { capture, texts: known, wanted } => {
                texts(*capture).all(|each| known.iter().any(|text| (each == text.as_bytes()) == *wanted))
            }
            Self::Matches { capture, expression, wanted } => {
                for each in texts(*capture) {
                    if expression.is_in(each)? != *wanted {
                        return Ok(false);
                    }
                }
                true
            }
        })
    }
}

impl Expression {
    fn new(pattern: &str) -> Result<Self, String> {
        let regex = Regex::new(&translated(pattern)?).map_err(|error| error.to_string())?;
        Ok(Self { regex, only_ascii: pattern.contains('\\') })
    }

    /// `search` in a text up to its first NUL, which is where the binding's text ends.
    fn is_in(&self, data: &[u8]) -> Result<bool, Unsure> {
        let end = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
        let text = std::str::from_utf8(&data[..end]).map_err(|_| Unsure)?;
        if self.only_ascii && !text.is_ascii() {
            return Err(Unsure);
        }
        Ok(self.regex.is_match(text))
    }
}

/// An expression of Python in the notation of the crate; a sentence where it may mean another.
fn translated(pattern: &str) -> Result<String, String> {
    let mut found = String::with_capacity(pattern.len() + 8);
    let mut in_class = false;
    let mut signs = pattern.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' if !in_class && signs.peek() == Some(&'b') => {
                signs.next();
                found.push_str("\\b");
            }
            '\\' | '&' | '~' => return Err(format!("the expression {pattern:?} isn't known")),
            '[' if in_class => found.push_str("\\["),
            '[' => {
                in_class = true;
                found.push(sign);
            }
            ']' if in_class => {
                in_class = false;
                found.push(sign);
            }
            '?' if found.ends_with('(') => return Err(format!("the expression {pattern:?} isn't known")),
            '.' if !in_class => return Err(format!("the expression {pattern:?} isn't known")),
            // Python's end is also before a last newline.
            '$' if !in_class => found.push_str("(?:\\n?\\z)"),
            _ => found.push(sign),
        }
    }
    Ok(found)
}
