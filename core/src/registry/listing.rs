//! The results of the four list methods, as text that is made once per snapshot.

use bytes::Bytes;

use super::cursor;
use super::shelf::{Entry, Kind, Shelf};
use crate::model::Era;
use crate::wire::write;

/// How long and for whom a result may be kept.
/// See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheHint {
    pub ttl_ms: u64,
    pub is_public: bool,
}

impl CacheHint {
    /// Stale at once, and for one caller only: what holds for everything of which nothing better is known.
    pub const NONE: Self = Self { ttl_ms: 0, is_public: false };

    /// Writes `,"ttlMs":..,"cacheScope":".."`.
    pub fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"ttlMs\":");
        out.extend_from_slice(self.ttl_ms.to_string().as_bytes());
        out.extend_from_slice(if self.is_public {
            b",\"cacheScope\":\"public\""
        } else {
            b",\"cacheScope\":\"private\""
        });
    }
}

/// What every listing of a server has around its items.
pub struct Frame<'a> {
    pub kind: Kind,
    /// Items of a page; all of them on one page when absent.
    pub page_size: Option<usize>,
    pub hint: CacheHint,
    /// `,"_meta":{...}` of modern results.
    pub meta: &'a str,
}

impl<T: Entry> Shelf<T> {
    /// The prepared page that starts at item `start`, as the result object; none where no page starts.
    pub fn page(&self, era: Era, start: usize, frame: &Frame<'_>) -> Option<Bytes> {
        let pages = self.pages[era as usize].get_or_init(|| {
            let size = frame.page_size.unwrap_or(usize::MAX).max(1);
            let mut pages = Vec::new();
            let mut start: usize = 0;
            loop {
                let end = start.saturating_add(size).min(self.items().len());
                let next = (end < self.items().len()).then_some(end);
                pages.push(self.write(era, self.items()[start..end].iter().map(|item| &**item), next, frame).into());
                match next {
                    Some(next) => start = next,
                    None => return pages,
                }
            }
        });
        match frame.page_size {
            Some(size) if start.is_multiple_of(size.max(1)) => pages.get(start / size.max(1)).cloned(),
            None if start == 0 => pages.first().cloned(),
            _ => None,
        }
    }

    /// A page of what the caller may see, from item `start` on.
    pub fn visible_page(&self, era: Era, start: usize, visible: impl Fn(&T) -> bool, frame: &Frame<'_>) -> Vec<u8> {
        let size = frame.page_size.unwrap_or(usize::MAX).max(1);
        let mut seen = self.items().iter().enumerate().skip(start).filter(|(_, item)| visible(item));
        let page: Vec<_> = seen.by_ref().take(size).collect();
        let next = seen.next().and(page.last()).map(|(place, _)| place + 1);
        self.write(era, page.into_iter().map(|(_, item)| &**item), next, frame)
    }

    fn write<'a>(
        &'a self,
        era: Era,
        items: impl Iterator<Item = &'a T>,
        next: Option<usize>,
        frame: &Frame<'_>,
    ) -> Vec<u8>
    where
        T: 'a,
    {
        let mut out = Vec::new();
        out.extend_from_slice(match era {
            Era::Modern => b"{\"resultType\":\"complete\",\"".as_slice(),
            Era::Legacy => b"{\"".as_slice(),
        });
        out.extend_from_slice(frame.kind.member().as_bytes());
        out.extend_from_slice(b"\":[");
        for (index, item) in items.enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(item.definition(era).as_bytes());
        }
        out.push(b']');
        if let Some(next) = next {
            out.extend_from_slice(b",\"nextCursor\":");
            write::string(&mut out, &cursor::encode(frame.kind, next));
        }
        if era == Era::Modern {
            frame.hint.write(&mut out);
            out.extend_from_slice(frame.meta.as_bytes());
        }
        out.push(b'}');
        out
    }
}
