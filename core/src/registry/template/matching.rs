//! From a URI to values, in one pass back and one pass forth.

use super::encode::{decode, encoded, normalize};
use super::{Expression, Modifier, Operator, Part, Template, Value, Var};

impl Template {
    /// The values with which this template names `uri`, or `None` when it does not. Takes time in proportion to the lengths of
    /// the two (T05). Variables that the URI leaves out are not listed.
    ///
    /// Unless allowed by [`Template::allow_unsafe`], no value holds a `..` segment, a backslash, a control character, or starts as
    /// an absolute path does; values of `{name}`, `{.name}`, `{;name}` and items of `{/name*}` hold no slash and are not `.` either
    /// (T01, N64). A URI with such a value does not match.
    pub fn match_uri(&self, uri: &str) -> Option<Vec<(&str, Value)>> {
        let uri = normalize(uri)?;
        if let Some(Part::Literal(start)) = self.parts.first()
            && !uri.starts_with(&**start)
        {
            return None;
        }
        let slots = self.slots();
        let reach = Reach::new(&slots, uri.as_bytes());
        if !reach.possible(0, 0) {
            return None;
        }
        let mut found = vec![None; self.variables.len()];
        let mut at = 0;
        for (index, slot) in slots.iter().enumerate() {
            let end = self.end(slot, &uri, at, |position| reach.possible(index + 1, position))?;
            if let Slot::Values { operator, vars, lead, .. } = slot
                && end > at
            {
                let start = at + lead.map_or(0, char::len_utf8);
                self.read(*operator, vars, &uri[start..end], &mut found)?;
            }
            at = end;
        }
        let values = found.into_iter().enumerate();
        Some(values.filter_map(|(index, value)| Some((&*self.variables[index], value?.0))).collect())
    }

    /// The parts with every variable on its own, except where names say which value is whose.
    fn slots(&self) -> Vec<Slot<'_>> {
        let mut slots = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            match part {
                Part::Literal(text) => slots.push(Slot::Literal(text)),
                Part::Expression(Expression { operator, vars }) if operator.is_named() => {
                    slots.push(Slot::Values {
                        operator: *operator,
                        vars,
                        lead: operator.lead(),
                        lazy: false,
                        stops: 0,
                    });
                }
                Part::Expression(Expression { operator, vars }) => {
                    for (index, var) in vars.iter().enumerate() {
                        let lead = if index == 0 { operator.lead() } else { Some(operator.separator()) };
                        let lazy = index + 1 < vars.len();
                        slots.push(Slot::Values {
                            operator: *operator,
                            vars: std::slice::from_ref(var),
                            lead,
                            lazy,
                            stops: 0,
                        });
                    }
                }
            }
        }
        // What may follow directly ends a value, else `{a}{;b}` would never find its `b`.
        let mut following = 0u128;
        for slot in slots.iter_mut().rev() {
            match slot {
                Slot::Values { operator, lead, stops, .. } => {
                    let queries = 1 << b'?' | 1 << b'#';
                    *stops = if operator.keeps_reserved() { following & queries } else { following };
                    let own = lead.filter(|lead| *lead != '.').map_or(0, |lead| 1 << lead as u32);
                    following = if lead.is_some() { following | own } else { 0 };
                }
                Slot::Literal(_) => following = 0,
            }
        }
        slots
    }

    /// Where a slot that starts at `at` ends, so that the rest can still match.
    fn end(&self, slot: &Slot<'_>, uri: &str, at: usize, rest_fits: impl Fn(usize) -> bool) -> Option<usize> {
        let bytes = uri.as_bytes();
        let (operator, vars, lead, lazy) = match slot {
            Slot::Literal(text) => return Some(at + text.len()),
            Slot::Values { operator, vars, lead, lazy, .. } => (*operator, *vars, *lead, *lazy),
        };
        let absent = lead.is_some().then_some(at).filter(|at| rest_fits(*at));
        let start = match lead {
            None => at,
            Some(lead) if uri[at..].starts_with(lead) => at + 1,
            Some(_) => return absent,
        };
        if operator.is_named() {
            return self.end_of_pairs(operator, vars, uri, start, rest_fits).or(absent);
        }
        let longest = match vars[0].modifier {
            Modifier::Prefix(length) => length,
            _ => usize::MAX,
        };
        let (mut end, mut chars, mut position) = (None, 0, start);
        while position < bytes.len() && slot.takes(bytes[position]) {
            let unit = encoded(&bytes[position..]);
            // A continuation byte belongs to the character before it.
            chars += usize::from(unit.is_none_or(|byte| byte & 0xC0 != 0x80));
            if chars > longest {
                break;
            }
            position += if unit.is_some() { 3 } else { 1 };
            if rest_fits(position) {
                end = Some(position);
                if lazy {
                    break;
                }
            }
        }
        end.or(absent)
    }

    /// The end of as many `name=value` pairs with known names as the rest can spare.
    fn end_of_pairs(
        &self,
        operator: Operator,
        vars: &[Var],
        uri: &str,
        start: usize,
        rest_fits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let stop =
            uri[start..].bytes().position(|byte| !takes_named(operator, byte)).map_or(uri.len(), |stop| start + stop);
        let mut end = None;
        let mut position = start;
        for pair in uri[start..stop].split(operator.separator()) {
            let (name, _) = pair.split_once('=').unwrap_or((pair, ""));
            if !vars.iter().any(|var| *self.variables[var.index] == *name) {
                // A literal may follow in the middle of the pairs: `{?a}&b=1`.
                break;
            }
            position += pair.len();
            if rest_fits(position) {
                end = Some(position);
            }
            position += 1;
        }
        end
    }

    /// Reads the values of a span, which is not empty and begins after the lead.
    fn read(&self, operator: Operator, vars: &[Var], span: &str, found: &mut [Option<Found>]) -> Option<()> {
        if !operator.is_named() {
            let var = vars[0];
            let value = if var.modifier == Modifier::Explode {
                Value::List(span.split(operator.separator()).map(decode).collect::<Option<_>>()?)
            } else {
                Value::Text(decode(span)?)
            };
            return self.keep(operator, var, value, found);
        }
        let mut lists: Vec<(Var, Vec<String>)> = Vec::new();
        for pair in span.split(operator.separator()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let var = *vars.iter().find(|var| *self.variables[var.index] == *name)?;
            let value = decode(value)?;
            match lists.iter_mut().find(|(known, _)| known.index == var.index) {
                Some((_, list)) if var.modifier == Modifier::Explode => list.push(value),
                Some(_) => return None,
                None => lists.push((var, vec![value])),
            }
        }
        for (var, mut list) in lists {
            let value = if var.modifier == Modifier::Explode { Value::List(list) } else { Value::Text(list.pop()?) };
            self.keep(operator, var, value, found)?;
        }
        Some(())
    }

    /// Keeps a value if it is safe and agrees with what the same variable had elsewhere.
    fn keep(&self, operator: Operator, var: Var, value: Value, found: &mut [Option<Found>]) -> Option<()> {
        let allowed = self.allowed_unsafe[var.index] || is_safe(operator, var.modifier, &value);
        if !allowed {
            return None;
        }
        let prefix = match var.modifier {
            Modifier::Prefix(length) => Some(length),
            _ => None,
        };
        let place = &mut found[var.index];
        let agreed = match (place.take(), prefix) {
            (None, _) => Found(value, prefix),
            (Some(Found(known, None)), None) if known == value => Found(known, None),
            (Some(Found(known, None)), Some(length)) if starts(&known, length, &value) => Found(known, None),
            (Some(Found(known, Some(length))), None) if starts(&value, length, &known) => Found(value, None),
            (Some(Found(known, Some(first))), Some(second)) if first < second && starts(&value, first, &known) => {
                Found(value, Some(second))
            }
            (Some(Found(known, Some(first))), Some(second)) if first >= second && starts(&known, second, &value) => {
                Found(known, Some(first))
            }
            _ => return None,
        };
        *place = Some(agreed);
        Some(())
    }
}

/// A value, and how many characters of the variable it is when only a prefix was seen.
#[derive(Clone)]
struct Found(Value, Option<usize>);

fn starts(whole: &Value, length: usize, prefix: &Value) -> bool {
    match (whole, prefix) {
        (Value::Text(whole), Value::Text(prefix)) => whole.chars().take(length).eq(prefix.chars()),
        _ => false,
    }
}

enum Slot<'t> {
    Literal(&'t str),
    /// `lead` stands before the value, or both are absent. A `lazy` value is as short as possible. `stops` has a bit for each
    /// ASCII character that the value may not hold for the sake of the next slots.
    Values {
        operator: Operator,
        vars: &'t [Var],
        lead: Option<char>,
        lazy: bool,
        stops: u128,
    },
}

impl Slot<'_> {
    /// Whether a value here may hold this byte of a normalised URI.
    fn takes(&self, byte: u8) -> bool {
        match self {
            Self::Literal(_) => false,
            Self::Values { stops, .. } if byte.is_ascii() && stops >> byte & 1 == 1 => false,
            Self::Values { operator, vars, .. } => match operator {
                Operator::Reserved | Operator::Fragment => true,
                named if named.is_named() => takes_named(*named, byte),
                // `{path*}` with slashes inside is in wide use, though the RFC would encode them.
                _ if vars[0].modifier == Modifier::Explode => !matches!(byte, b'?' | b'#'),
                _ => !matches!(byte, b'/' | b'?' | b'#'),
            },
        }
    }
}

fn takes_named(operator: Operator, byte: u8) -> bool {
    byte != b'#' && (operator != Operator::Matrix || !matches!(byte, b'/' | b'?'))
}

/// For every slot and position, whether the slots from there on can make up the rest of the URI. Filled from the end, one
/// step per cell: what a backtracking matcher finds out again and again.
struct Reach {
    cells: Vec<bool>,
    width: usize,
}

impl Reach {
    fn new(slots: &[Slot<'_>], uri: &[u8]) -> Self {
        let width = uri.len() + 1;
        let mut cells = vec![false; (slots.len() + 1) * width];
        cells[slots.len() * width + uri.len()] = true;
        for (index, slot) in slots.iter().enumerate().rev() {
            let (before, after) = cells.split_at_mut((index + 1) * width);
            let (here, next) = (&mut before[index * width..], &after[..width]);
            match slot {
                Slot::Literal(text) => {
                    for position in 0..=uri.len().saturating_sub(text.len()) {
                        here[position] = uri[position..].starts_with(text.as_bytes()) && next[position + text.len()];
                    }
                }
                Slot::Values { lead, .. } => values(slot, *lead, uri, here, next),
            }
        }
        Self { cells, width }
    }

    fn possible(&self, slot: usize, position: usize) -> bool {
        self.cells[slot * self.width + position]
    }
}

/// Fills the cells of a slot with values: at least one byte, and the lead before it or nothing at all.
fn values(slot: &Slot<'_>, lead: Option<char>, uri: &[u8], here: &mut [bool], next: &[bool]) {
    // Whether a value may go on from a position: some more bytes of it and then the next slot.
    let mut going_on = next[uri.len()];
    // Whether a value of at least one byte may start at the position after this one.
    let mut starts_after = false;
    here[uri.len()] = lead.is_some() && next[uri.len()];
    for position in (0..uri.len()).rev() {
        let starts = slot.takes(uri[position]) && going_on;
        here[position] = match lead {
            None => starts,
            Some(lead) => next[position] || (uri[position] == lead as u8 && starts_after),
        };
        starts_after = starts;
        going_on = starts || next[position];
    }
}

fn is_safe(operator: Operator, modifier: Modifier, value: &Value) -> bool {
    // Of a split path only the separators between its items may be slashes.
    let one_segment = match (operator, modifier) {
        (Operator::Path, _) => true,
        (Operator::Simple | Operator::Label | Operator::Matrix, modifier) => modifier != Modifier::Explode,
        _ => false,
    };
    match value {
        Value::Text(text) => is_safe_text(text, one_segment),
        Value::List(items) => {
            items.iter().all(|item| is_safe_text(item, one_segment) && !(one_segment && item.is_empty()))
        }
    }
}

fn is_safe_text(text: &str, one_segment: bool) -> bool {
    let drive = matches!(text.as_bytes(), [letter, b':', rest @ ..]
        if letter.is_ascii_alphabetic() && matches!(rest.first(), None | Some(b'/')));
    let climbs = text.split('/').any(|segment| segment == "..");
    let foreign = text.contains(|c: char| c == '\\' || c.is_control());
    let segment = !one_segment || !(text.contains('/') || text == ".");
    segment && !(drive || climbs || foreign || text.starts_with('/'))
}
