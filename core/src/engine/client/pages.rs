//! Listings. A server cuts them into pages; whoever lists gets everything as one result, made of the raw text of the items.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination>.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use serde_json::value::RawValue;

use super::call::Waiter;
use super::host::Token;
use super::operation::Operation;
use super::state::{State, empty, invalid};
use super::tools::{self, Reading, Tool};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::{Era, Level, params};
use crate::wire::{raw, write};

/// Faults of one page that are told one by one.
const FAULTS: usize = 16;

type Set = HashSet<Box<str>, FxBuildHasher>;

/// The pages of one listing that came so far.
#[derive(Default)]
pub(super) struct Pages {
    /// The first page's members besides its items and its cursor, as the start of an object.
    head: Vec<u8>,
    /// The items, with commas between them.
    items: Vec<u8>,
    pages: usize,
    count: usize,
    bytes: usize,
    /// Cursors that were followed: one that comes again would lead round in circles (T06).
    seen: Set,
    /// The page that is asked for next, as the JSON text it came as.
    pub cursor: Option<Box<RawValue>>,
    names: Set,
    pub tools: Vec<Arc<Tool>>,
}

/// What was wrong with a page, each fault told up to a bound: a page may have very many.
#[derive(Default)]
struct Faults {
    told: Vec<String>,
    count: usize,
}

impl Faults {
    /// Notes one. False, which takes an item out of its list.
    fn add(&mut self, text: String) -> bool {
        self.count += 1;
        if self.told.len() < FAULTS {
            self.told.push(text);
        }
        false
    }

    fn reports(self) -> impl Iterator<Item = String> {
        let more = self.count - self.told.len();
        let last = (more > 0).then(|| format!("and {more} more faults of the same page"));
        self.told.into_iter().chain(last)
    }
}

/// Whether the page was the last.
#[derive(PartialEq, Eq)]
enum Walk {
    More,
    Done,
}

impl Pages {
    /// A listing that begins at the cursor of its parameters, if they have one.
    pub fn new(own: &RawValue) -> Self {
        let mut pages = Self::default();
        if let Some(cursor) = cursor_of(own, "cursor") {
            pages.seen.insert(name_of(cursor));
        }
        pages
    }

    /// Takes note of a tool. Of those with one name the first counts.
    fn learn(&mut self, tool: Arc<Tool>) -> Result<()> {
        if !self.names.insert(tool.name.clone()) {
            return Err(Error::definition(format!("`{}` is listed more than once", tool.name.escape_debug())));
        }
        self.tools.push(tool);
        Ok(())
    }

    /// Takes the items of a page, and of the first one everything else.
    fn push(&mut self, page: &RawValue, member: &str, items: &[Cow<'_, RawValue>]) {
        if self.head.is_empty() {
            self.head.push(b'{');
            for (key, value) in raw::members(page).into_iter().flatten() {
                if key != member && key != "nextCursor" {
                    write::member(&mut self.head, &key, value.get().as_bytes());
                }
            }
        }
        for item in items {
            if !self.items.is_empty() {
                self.items.push(b',');
            }
            self.items.extend_from_slice(item.get().as_bytes());
        }
    }

    /// Counts a page, which may be followed by one more.
    fn turn(&mut self, cursor: Option<&RawValue>, limits: &Limits) -> Result<Walk> {
        self.pages += 1;
        if self.count > limits.list_items {
            return Err(Error::limit("list_items", limits.list_items, "the number of items of the listing"));
        }
        if self.bytes > limits.list_bytes {
            return Err(Error::limit("list_bytes", limits.list_bytes, "the size of the listing"));
        }
        let Some(cursor) = cursor else { return Ok(Walk::Done) };
        if self.pages >= limits.list_pages {
            return Err(Error::limit("list_pages", limits.list_pages, "the number of pages of the listing"));
        }
        if !self.seen.insert(name_of(cursor)) {
            return Err(invalid("the pages of the listing go round in circles: a cursor came twice"));
        }
        self.cursor = Some(cursor.to_owned());
        Ok(Walk::More)
    }

    /// The one result. `cursor` is that of the page after it, where only one was asked for.
    fn result(&mut self, member: &str, cursor: Option<&RawValue>) -> Box<RawValue> {
        let mut out = std::mem::take(&mut self.head);
        out.reserve_exact(self.items.len() + member.len() + 8);
        write::key(&mut out, member);
        out.push(b'[');
        out.append(&mut self.items);
        out.push(b']');
        if let Some(cursor) = cursor {
            write::member(&mut out, "nextCursor", cursor.get().as_bytes());
        }
        write::close(&mut out);
        String::from_utf8(out).ok().and_then(|text| RawValue::from_string(text).ok()).unwrap_or_else(empty)
    }
}

/// The cursor in that member; an empty string is one too.
fn cursor_of<'a>(object: &'a RawValue, member: &str) -> Option<&'a RawValue> {
    raw::get(object, member).ok().flatten().filter(|cursor| cursor.get() != "null")
}

/// What cursors are compared by: the text, however it was escaped.
fn name_of(cursor: &RawValue) -> Box<str> {
    params::text(cursor, "cursor").map_or_else(|_| cursor.get().into(), |text| text.as_ref().into())
}

impl State {
    /// A page of a listing came. The whole result, if it was the last one.
    ///
    /// # Errors
    /// `Limit` naming `list_pages`, `list_items` or `list_bytes`; `InvalidRequest` for a page without a list, and for a cursor that
    /// came before. What was read until then is dropped: part of a list must not pass for all of it (security 40).
    pub fn page(&mut self, token: Token, page: &RawValue) -> Result<Option<Box<RawValue>>> {
        let options = Arc::clone(&self.options);
        let is_modern = self.version().is_some_and(|version| version.era() == Era::Modern);
        let checks = options.check_output && self.version().is_some_and(|version| version.has_structured_content());
        let how = Reading { mirrors: is_modern && self.http.is_some(), checks, limits: &options.limits };
        let Some(call) = self.calls.get_mut(&token) else { return Ok(None) };
        let Some(member) = call.operation.items_member() else { return Ok(None) };
        let pages = call.pages.get_or_insert_with(|| Box::new(Pages::new(&call.params)));
        let mut faults = Faults::default();
        let mut kept: Vec<Cow<'_, RawValue>> =
            items(page, member, &mut faults)?.into_iter().map(Cow::Borrowed).collect();
        pages.count += kept.len();
        pages.bytes += page.get().len();
        if call.operation == Operation::ListTools {
            for item in &mut kept {
                if let Some(whole) = tools::whole(item) {
                    faults.add(
                        "a tool of the listing has no `inputSchema`: it is taken to accept any arguments".to_owned(),
                    );
                    *item = Cow::Owned(whole);
                }
            }
            kept.retain(|item| match self.tools.read(item, how).and_then(|tool| pages.learn(tool)) {
                Ok(()) => true,
                Err(error) => faults.add(format!("a tool is left out of the listing: {}", error.message())),
            });
        }
        let one_page = call.options.one_page;
        let next = cursor_of(page, "nextCursor");
        let walk = pages.turn(next.filter(|_| !one_page), &options.limits)?;
        // Most listings are one page with nothing wrong in it: that is the result as it is.
        let is_result = faults.count == 0 && (one_page || next.is_none()) && pages.pages == 1;
        let done = match is_result {
            true => Some(page.to_owned()),
            false => {
                pages.push(page, member, &kept);
                (walk == Walk::Done).then(|| pages.result(member, next.filter(|_| one_page)))
            }
        };
        for report in faults.reports() {
            self.report(Level::Warning, report);
        }
        Ok(done)
    }

    /// Learns from a listing that is complete.
    pub fn listed(&mut self, token: Token) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        let Some(pages) = call.pages.take().filter(|_| call.operation == Operation::ListTools) else { return };
        // A page, or what other credentials may see, says nothing about tools that are not in it.
        let is_whole =
            !call.options.one_page && call.options.headers.is_empty() && cursor_of(&call.params, "cursor").is_none();
        match is_whole {
            true => {
                let different = self.tools.replace(pages.tools, token);
                if let Waiter::Refresh(diff) = &mut call.waiter {
                    *diff = different;
                }
            }
            false => self.tools.add(pages.tools),
        }
    }
}

/// The items of a page. Servers that have none may say `null` instead of an empty list, or leave it out.
fn items<'a>(page: &'a RawValue, member: &str, faults: &mut Faults) -> Result<Vec<&'a RawValue>> {
    match raw::get(page, member)?.filter(|list| list.get() != "null") {
        Some(list) => serde_json::from_str(list.get()).map_err(|_| invalid(&format!("`{member}` is no list"))),
        None => {
            faults.add(format!("the server sent a listing without `{member}`: it is taken as empty"));
            Ok(Vec::new())
        }
    }
}
