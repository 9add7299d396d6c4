//! From values to a URI: RFC 6570, section 3.

use super::encode::{encoded, is_reserved, is_unreserved, push_unless, units};
use super::{Expression, Modifier, Part, Template, Value};

impl Template {
    /// The URI for these values. Variables without a value leave nothing behind, as the RFC wants it; values for names that the
    /// template does not have are ignored.
    pub fn expand(&self, values: &[(&str, Value)]) -> String {
        let mut uri = String::with_capacity(self.text.len() + 32);
        for part in &self.parts {
            match part {
                Part::Literal(literal) => uri.push_str(literal),
                Part::Expression(expression) => self.expand_expression(expression, values, &mut uri),
            }
        }
        uri
    }

    fn expand_expression(&self, expression: &Expression, values: &[(&str, Value)], uri: &mut String) {
        let operator = expression.operator;
        let mut before = operator.lead();
        for var in &expression.vars {
            let name = &*self.variables[var.index];
            let Some((_, value)) = values.iter().find(|(given, _)| *given == name) else { continue };
            let mut add = |named: bool, items: &mut dyn Iterator<Item = &str>| {
                uri.extend(before.take());
                before = Some(operator.separator());
                for (index, item) in items.enumerate() {
                    if index > 0 {
                        uri.push(',');
                    } else if named {
                        uri.push_str(name);
                        // `;x` and `?x=` are how the two spell an empty value.
                        if !(item.is_empty() && operator == super::Operator::Matrix) {
                            uri.push('=');
                        }
                    }
                    let plain = if operator.keeps_reserved() { kept } else { is_unreserved };
                    push_value(uri, item, plain, operator.keeps_reserved());
                }
            };
            match (value, var.modifier) {
                (Value::Text(text), Modifier::Prefix(length)) => {
                    let end = text.char_indices().nth(length).map_or(text.len(), |(end, _)| end);
                    add(operator.is_named(), &mut std::iter::once(&text[..end]));
                }
                (Value::Text(text), _) => add(operator.is_named(), &mut std::iter::once(text.as_str())),
                // An empty list is no value.
                (Value::List(items), _) if items.is_empty() => {}
                (Value::List(items), Modifier::Explode) => {
                    items.iter().for_each(|item| add(operator.is_named(), &mut std::iter::once(item.as_str())));
                }
                (Value::List(items), _) => add(operator.is_named(), &mut items.iter().map(String::as_str)),
            }
        }
    }
}

fn kept(byte: u8) -> bool {
    is_unreserved(byte) || is_reserved(byte)
}

fn push_value(uri: &mut String, value: &str, plain: fn(u8) -> bool, keep_encoded: bool) {
    for unit in units(value) {
        match std::str::from_utf8(unit) {
            Ok(triplet) if keep_encoded && encoded(unit).is_some() => uri.push_str(triplet),
            _ => unit.iter().for_each(|byte| push_unless(uri, *byte, plain)),
        }
    }
}
