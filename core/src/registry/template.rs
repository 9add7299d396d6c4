//! Resource templates: RFC 6570 in both directions, with matching in linear time.
//!
//! Expansion follows the RFC (all four levels; values are texts and lists, not maps). Matching, which the RFC leaves open, has
//! fixed rules instead of a search, so that no URI can make it slow (CVE-2026-0621):
//! - URI and literals are compared after normalising percent-encoding; values come back decoded.
//! - `{name}` takes anything but `/`, `?` and `#`, and at least one character. `{+name}`, `{#name}` and `{name*}` take `/` too.
//! - What may directly follow ends a value: the `;` of `{a}{;b}`, the `?` of `{+a}{?b}`.
//! - An expression takes as much as the rest of the template can spare; of several variables in one, all but the last as little.
//! - Expressions with a leading character (`{/a}`, `{.a}`, `{;a}`, `{?a}`, `{&a}`, `{#a}`) may be absent. The parameters of
//!   `{?a,b}` and `{;a,b}` may come in any order, each known and at most once.
//! - Exploded variables come back as lists, all others as one text: a raw comma in `{name}` belongs to the text.
//!
//! Values that could leave a directory are refused unless a variable is declared to allow them (`allow_unsafe`).

mod encode;
mod expand;
mod matching;

use crate::error::{Error, Result};

/// Expressions and literals of one template: matching costs this many steps per byte of a URI at most.
const MAX_PARTS: usize = 256;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// One text, decoded.
    Text(String),
    /// The items of an exploded variable, each decoded.
    List(Vec<String>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A parsed template.
#[derive(Clone, Debug)]
pub struct Template {
    text: Box<str>,
    parts: Box<[Part]>,
    variables: Box<[Box<str>]>,
    /// Of each variable, whether values that look like a way out of a directory are handed over.
    allowed_unsafe: Box<[bool]>,
}

#[derive(Clone, Debug)]
enum Part {
    /// Normalised.
    Literal(Box<str>),
    Expression(Expression),
}

#[derive(Clone, Debug)]
struct Expression {
    operator: Operator,
    vars: Box<[Var]>,
}

/// A variable in an expression.
#[derive(Clone, Copy, Debug)]
struct Var {
    /// Its place in `Template::variables`.
    index: usize,
    modifier: Modifier,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Modifier {
    None,
    Explode,
    /// At most this many characters.
    Prefix(usize),
}

/// The operators of RFC 6570, section 2.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Simple,
    Reserved,
    Fragment,
    Label,
    Path,
    Matrix,
    Query,
    Continuation,
}

impl Operator {
    /// What stands before the first value.
    fn lead(self) -> Option<char> {
        match self {
            Self::Simple | Self::Reserved => None,
            Self::Fragment => Some('#'),
            Self::Label => Some('.'),
            Self::Path => Some('/'),
            Self::Matrix => Some(';'),
            Self::Query => Some('?'),
            Self::Continuation => Some('&'),
        }
    }

    /// What stands between values.
    fn separator(self) -> char {
        match self {
            Self::Simple | Self::Reserved | Self::Fragment => ',',
            Self::Label => '.',
            Self::Path => '/',
            Self::Matrix => ';',
            Self::Query | Self::Continuation => '&',
        }
    }

    /// Whether values are written as `name=value`.
    fn is_named(self) -> bool {
        matches!(self, Self::Matrix | Self::Query | Self::Continuation)
    }

    /// Whether reserved characters stay as they are when a value is expanded.
    fn keeps_reserved(self) -> bool {
        matches!(self, Self::Reserved | Self::Fragment)
    }
}

impl Template {
    /// Reads a template. Besides the names of the RFC, names with `-` are accepted, for they are in use.
    ///
    /// # Errors
    /// `Definition` with the position: an unclosed or stray brace, an empty expression, an unknown operator, a bad name or modifier,
    /// a control character, more than 256 parts.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parts = Vec::new();
        let mut variables = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let at = text.len() - rest.len();
            if let Some(inside) = rest.strip_prefix('{') {
                let end = inside.find(['{', '}']).filter(|end| inside[*end..].starts_with('}'));
                let end = end.ok_or_else(|| bad(text, at, "the brace is not closed"))?;
                parts.push(Part::Expression(expression(text, at + 1, &inside[..end], &mut variables)?));
                rest = &inside[end + 1..];
            } else {
                let end = rest.find(['{', '}']).unwrap_or(rest.len());
                if rest[end..].starts_with('}') {
                    return Err(bad(text, at + end, "a closing brace without an opening one"));
                }
                let literal = encode::normalize(&rest[..end]);
                let literal =
                    literal.ok_or_else(|| bad(text, at, "a control character or a `%` without two digits"))?;
                parts.push(Part::Literal(literal.into()));
                rest = &rest[end..];
            }
        }
        if parts.len() > MAX_PARTS {
            return Err(bad(text, 0, "more than 256 parts"));
        }
        let allowed_unsafe = vec![false; variables.len()].into();
        Ok(Self { text: text.into(), parts: parts.into(), variables: variables.into(), allowed_unsafe })
    }

    /// Hands over values of these variables even when they could leave a directory: `..`, absolute paths, backslashes, decoded
    /// slashes, control characters. For handlers that check for themselves.
    ///
    /// # Errors
    /// `Definition` for a name that the template does not have.
    pub fn allow_unsafe<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Result<Self> {
        for name in names {
            let name = name.as_ref();
            let index = self.variables.iter().position(|variable| **variable == *name);
            let index =
                index.ok_or_else(|| Error::definition(format!("template {:?} has no variable {name:?}", self.text)))?;
            self.allowed_unsafe[index] = true;
        }
        Ok(self)
    }

    /// The template as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the variables, each once, in the order of their first use.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = &str> {
        self.variables.iter().map(|name| &**name)
    }
}

fn expression(text: &str, at: usize, inside: &str, variables: &mut Vec<Box<str>>) -> Result<Expression> {
    let (operator, list) = match inside.chars().next() {
        Some('+') => (Operator::Reserved, &inside[1..]),
        Some('#') => (Operator::Fragment, &inside[1..]),
        Some('.') => (Operator::Label, &inside[1..]),
        Some('/') => (Operator::Path, &inside[1..]),
        Some(';') => (Operator::Matrix, &inside[1..]),
        Some('?') => (Operator::Query, &inside[1..]),
        Some('&') => (Operator::Continuation, &inside[1..]),
        Some('=' | ',' | '!' | '@' | '|') => return Err(bad(text, at, "an operator that RFC 6570 reserves")),
        _ => (Operator::Simple, inside),
    };
    let vars = list.split(',').map(|spec| {
        let (name, modifier) = if let Some(name) = spec.strip_suffix('*') {
            (name, Modifier::Explode)
        } else if let Some((name, length)) = spec.split_once(':') {
            let length =
                length.parse().ok().filter(|number| (1..10_000).contains(number) && !length.starts_with(['0', '+']));
            (name, Modifier::Prefix(length.ok_or_else(|| bad(text, at, "a prefix length must be between 1 and 9999"))?))
        } else {
            (spec, Modifier::None)
        };
        if !is_name(name) {
            return Err(bad(text, at, &format!("{name:?} is not a variable name")));
        }
        let known = variables.iter().position(|variable| **variable == *name);
        let index = known.unwrap_or_else(|| {
            variables.push(name.into());
            variables.len() - 1
        });
        Ok(Var { index, modifier })
    });
    Ok(Expression { operator, vars: vars.collect::<Result<_>>()? })
}

fn is_name(name: &str) -> bool {
    let is_char = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_part = |part: &str| !part.is_empty() && encode::units(part).all(|unit| unit.len() == 3 || is_char(unit[0]));
    name.split('.').all(is_part)
}

fn bad(text: &str, at: usize, why: &str) -> Error {
    Error::definition(format!("resource template {text:?}, at byte {at}: {why}"))
}

#[cfg(test)]
mod tests;
