//! Validation errors in words: where, what is expected, what is there.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::check::Problem;
use super::compile::Compiled;

/// Bytes of a quoted value or name list.
const MAX_QUOTED: usize = 60;
/// Names of a list: allowed properties, options of an enumeration.
const MAX_NAMES: usize = 16;
/// Branches of a union that are put into words.
const MAX_BRANCHES: usize = 4;
/// Steps of a validation up to which all problems are collected; beyond, the first stands for all.
const ALL_PROBLEMS_STEPS: usize = 250_000;
/// Bytes that the errors of union branches may copy: each holds the instance it failed on.
const COPIED_BYTES: usize = 64 << 20;

/// Every problem of an instance that is known to be invalid; `work` bounds the steps of one pass, `bytes` is the instance's text.
pub(super) fn explain(
    compiled: &Compiled,
    schema_text: &str,
    instance: &Value,
    work: usize,
    bytes: usize,
) -> Vec<Problem> {
    if compiled.graph.has_unions && bytes.saturating_mul(compiled.cost) > COPIED_BYTES {
        let expected = "a value that fits the schema (it is too large to say more)".to_owned();
        return vec![Problem { path: String::new(), expected, got: quote(instance) }];
    }
    // Read again rather than kept: only a failed check needs it.
    let schema = &serde_json::from_str(schema_text).unwrap_or_default();
    let mut words = Words { schema, problems: Vec::new() };
    if work > ALL_PROBLEMS_STEPS {
        if let Err(error) = compiled.validator.validate(instance) {
            words.add(&error);
        }
    } else {
        for error in compiled.validator.iter_errors(instance) {
            words.add(&error);
        }
    }
    words.problems
}

struct Words<'a> {
    schema: &'a Value,
    problems: Vec<Problem>,
}

impl Words<'_> {
    fn add(&mut self, error: &ValidationError<'_>) {
        use ValidationErrorKind as Kind;
        match error.kind() {
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                self.push(path_of(error.instance_path(), Some(name)), "required".into(), "missing".into());
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let allowed = self.allowed(error);
                for name in unexpected {
                    let path = path_of(error.instance_path(), Some(name));
                    self.push(path, format!("unexpected property{allowed}"), String::new());
                }
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => match likely_branch(error, context) {
                Some(branch) => branch.iter().for_each(|error| self.add(error)),
                None => self.push_error(error, self.union(error, context)),
            },
            Kind::PropertyNames { error: name_error } => {
                let name = name_error.instance().as_str().unwrap_or_default();
                let path = path_of(error.instance_path(), Some(name));
                self.push(path, format!("a property name that is {}", expected(name_error)), String::new());
            }
            _ => self.push_error(error, expected(error)),
        }
    }

    /// A union in which no branch stands out.
    fn union(&self, error: &ValidationError<'_>, context: &[Vec<ValidationError<'static>>]) -> String {
        let base = path_of(error.instance_path(), None);
        let mut branches = Vec::new();
        for branch in context.iter().take(MAX_BRANCHES) {
            let mut words = Words { schema: self.schema, problems: Vec::new() };
            branch.iter().take(MAX_BRANCHES).for_each(|error| words.add(error));
            let problems = words.problems.iter().map(|problem| {
                let path = problem.path.strip_prefix(&base).unwrap_or(&problem.path).trim_start_matches('.');
                match problem.got.as_str() {
                    "missing" => format!("{path} (required)"),
                    _ if path.is_empty() => problem.expected.trim_start_matches("expected ").to_owned(),
                    _ => format!("{path}: {}", problem.expected),
                }
            });
            let problems = problems.collect::<Vec<_>>().join(" and ");
            if !branches.contains(&problems) {
                branches.push(problems);
            }
        }
        if context.len() > MAX_BRANCHES {
            branches.push(format!("{} more forms", context.len() - MAX_BRANCHES));
        }
        format!("expected {}", branches.join(", or "))
    }

    fn push_error(&mut self, error: &ValidationError<'_>, expected: String) {
        let mut got = quote(error.instance());
        if let Some(hint) = text_instead(error) {
            got.push_str(hint);
        }
        self.push(path_of(error.instance_path(), None), expected, got);
    }

    fn push(&mut self, path: String, expected: String, got: String) {
        let problem = Problem { path, expected, got };
        // The same failure can come by several ways of the schema, one after another.
        if !self.problems.iter().rev().take(MAX_NAMES).any(|known| *known == problem) {
            self.problems.push(problem);
        }
    }

    /// The properties that the object at this error may have, when the schema names them next to the failed keyword.
    fn allowed(&self, error: &ValidationError<'_>) -> String {
        let keyword = error.schema_path().as_str();
        let holder = keyword.rsplit_once('/').and_then(|(holder, _)| self.schema.pointer(holder));
        let named = holder.and_then(|holder| holder.get("properties")).and_then(Value::as_object);
        match named {
            Some(named) if !named.is_empty() => format!(" (allowed: {})", list(named.keys().map(String::as_str))),
            _ => String::new(),
        }
    }
}

/// The branch that the author of the instance most likely meant: the only one of the right type, or else the only one whose
/// constants (a discriminator) agree. Its problems say more than "fits no branch".
fn likely_branch<'e>(
    error: &ValidationError<'_>,
    context: &'e [Vec<ValidationError<'static>>],
) -> Option<&'e Vec<ValidationError<'static>>> {
    let depth = error.instance_path().as_str().matches('/').count();
    let right_type = context.iter().filter(|branch| {
        !branch.iter().any(|inner| {
            let same_place = inner.instance_path() == error.instance_path();
            same_place && matches!(inner.kind(), ValidationErrorKind::Type { .. } | ValidationErrorKind::FalseSchema)
        })
    });
    let right_type: Vec<_> = right_type.collect();
    if let [only] = right_type[..] {
        return Some(only);
    }
    let mut agreeing = right_type.into_iter().filter(|branch| {
        !branch.iter().any(|inner| {
            let near = inner.instance_path().as_str().matches('/').count() <= depth + 1;
            near && matches!(inner.kind(), ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. })
        })
    });
    match (agreeing.next(), agreeing.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// What the failed keyword asks for.
fn expected(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Type { kind } => format!("expected {}", types(kind)),
        Kind::Constant { expected_value } => format!("expected {}", cut(&expected_value.to_string())),
        Kind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let shown = options.iter().take(MAX_NAMES).map(|option| cut(&option.to_string())).collect::<Vec<_>>();
            let more =
                if options.len() > MAX_NAMES { format!(", .. ({} options)", options.len()) } else { String::new() };
            format!("expected one of {}{more}", shown.join(", "))
        }
        Kind::Minimum { limit } => format!("expected at least {limit}"),
        Kind::Maximum { limit } => format!("expected at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("expected a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("expected at least {limit} characters"),
        Kind::MaxLength { limit } => format!("expected at most {limit} characters"),
        Kind::Pattern { pattern } => format!("expected text matching {}", cut(pattern)),
        Kind::MinItems { limit } => format!("expected at least {limit} items"),
        Kind::MaxItems { limit } => format!("expected at most {limit} items"),
        Kind::AdditionalItems { limit } => format!("expected at most {limit} items"),
        Kind::UnevaluatedItems { .. } => "expected no further items".into(),
        Kind::UniqueItems => "expected items that all differ".into(),
        Kind::Contains => "expected an item that fits `contains`".into(),
        Kind::MinProperties { limit } => format!("expected at least {limit} properties"),
        Kind::MaxProperties { limit } => format!("expected at most {limit} properties"),
        Kind::Not { schema } => format!("expected a value that does not fit {}", cut(&schema.to_string())),
        Kind::OneOfMultipleValid { .. } => "expected a value that fits exactly one form, and it fits several".into(),
        Kind::FalseSchema => "nothing is allowed here".into(),
        _ => cut(&error.to_string()),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => kind.as_str().to_owned(),
        TypeKind::Multiple(kinds) => kinds.iter().map(JsonType::as_str).collect::<Vec<_>>().join(" or "),
    }
}

/// Models send lists and objects as JSON inside a string (P03): say so, for the type alone does not tell them.
fn text_instead(error: &ValidationError<'_>) -> Option<&'static str> {
    let (ValidationErrorKind::Type { kind }, Value::String(text)) = (error.kind(), &**error.instance()) else {
        return None;
    };
    let wants = |kind_wanted| match kind {
        TypeKind::Single(kind) => *kind == kind_wanted,
        TypeKind::Multiple(kinds) => kinds.contains(kind_wanted),
    };
    match text.trim_start().as_bytes().first()? {
        b'[' if wants(JsonType::Array) => Some(" holding JSON text: send the array itself, not a string of it"),
        b'{' if wants(JsonType::Object) => Some(" holding JSON text: send the object itself, not a string of it"),
        _ => None,
    }
}

/// A value for a reader: short, with its type where that is not obvious.
fn quote(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => format!("{value} (boolean)"),
        Value::Number(value) if value.is_f64() => format!("{value} (number)"),
        Value::Number(value) => format!("{value} (integer)"),
        Value::String(text) => format!("{} (string)", quote_text(text)),
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(members) if members.is_empty() => "an empty object".into(),
        Value::Object(members) => format!("an object with {}", list(members.keys().map(String::as_str))),
    }
}

fn head(text: &str) -> &str {
    let end = (0..=MAX_QUOTED.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

fn quote_text(text: &str) -> String {
    // Cut before quoting: a text of megabytes must not be escaped as a whole.
    let short = head(text);
    let quoted = Value::from(short).to_string();
    if short.len() < text.len() { format!("{quoted}..") } else { quoted }
}

fn cut(text: &str) -> String {
    let short = head(text);
    if short.len() < text.len() { format!("{short}..") } else { short.to_owned() }
}

fn list<'n>(mut names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let shown = names.by_ref().take(MAX_NAMES).map(cut).collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => shown,
        more => format!("{shown}, and {more} more"),
    }
}

/// `items[0].name`; a name that would be read otherwise is quoted: `["a.b"]`.
fn path_of(location: &Location, last: Option<&str>) -> String {
    let mut path = String::new();
    for segment in location {
        match segment {
            LocationSegment::Index(index) => path.push_str(&format!("[{index}]")),
            LocationSegment::Property(name) => push_name(&mut path, &name),
        }
    }
    if let Some(name) = last {
        push_name(&mut path, name);
    }
    path
}

fn push_name(path: &mut String, name: &str) {
    let plain = |c: char| c.is_alphanumeric() || "_-$@".contains(c);
    if name.is_empty() || name.len() > MAX_QUOTED || !name.chars().all(plain) {
        path.push_str(&format!("[{}]", quote_text(name)));
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}
