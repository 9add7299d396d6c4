//! The method table: which method exists in which revisions, which way it goes, what it needs.
//! A method that a revision does not list is unknown to it; nothing else decides that.

use super::version::Version;

/// Who sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    ToServer,
    ToClient,
    Both,
}

/// What a server must have before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    None,
    Tools,
    Resources,
    ResourceSubscriptions,
    Prompts,
    Completions,
    Logging,
}

/// The member of `params` that `Mcp-Name` mirrors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameField {
    Name,
    Uri,
}

/// One row of the table.
#[derive(Debug)]
pub struct Row {
    pub method: Method,
    pub name: &'static str,
    pub direction: Direction,
    pub first: Version,
    pub last: Version,
    pub capability: Capability,
    pub name_field: Option<NameField>,
    /// Its complete results carry `ttlMs` and `cacheScope`.
    pub cacheable: bool,
    /// It may be answered with `input_required`.
    pub may_need_input: bool,
}

macro_rules! methods {
    ($($variant:ident $name:literal $direction:ident $first:ident ..= $last:ident $capability:ident $field:expr, $cacheable:literal, $input:literal;)*) => {
        /// A method of the protocol, request or notification.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Method { $($variant),* }

        static TABLE: &[Row] = &[$(Row {
            method: Method::$variant, name: $name, direction: Direction::$direction, first: Version::$first, last: Version::$last,
            capability: Capability::$capability, name_field: $field, cacheable: $cacheable, may_need_input: $input,
        }),*];

        impl Method {
            /// The method of that name, in whatever revision.
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

methods! {
    // Requests to a server.
    Initialize    "initialize"               ToServer V2024_11_05 ..= V2025_11_25 None                  None, false, false;
    Ping          "ping"                     Both     V2024_11_05 ..= V2025_11_25 None                  None, false, false;
    Discover      "server/discover"          ToServer V2026_07_28 ..= V2026_07_28 None                  None, true,  false;
    ListTools     "tools/list"               ToServer V2024_11_05 ..= V2026_07_28 Tools                 None, true,  false;
    CallTool      "tools/call"               ToServer V2024_11_05 ..= V2026_07_28 Tools                 Some(NameField::Name), false, true;
    ListResources "resources/list"           ToServer V2024_11_05 ..= V2026_07_28 Resources             None, true,  false;
    ListTemplates "resources/templates/list" ToServer V2024_11_05 ..= V2026_07_28 Resources             None, true,  false;
    ReadResource  "resources/read"           ToServer V2024_11_05 ..= V2026_07_28 Resources             Some(NameField::Uri), true, true;
    Subscribe     "resources/subscribe"      ToServer V2024_11_05 ..= V2025_11_25 ResourceSubscriptions None, false, false;
    Unsubscribe   "resources/unsubscribe"    ToServer V2024_11_05 ..= V2025_11_25 ResourceSubscriptions None, false, false;
    ListPrompts   "prompts/list"             ToServer V2024_11_05 ..= V2026_07_28 Prompts               None, true,  false;
    GetPrompt     "prompts/get"              ToServer V2024_11_05 ..= V2026_07_28 Prompts               Some(NameField::Name), false, true;
    Complete      "completion/complete"      ToServer V2024_11_05 ..= V2026_07_28 Completions           None, false, false;
    SetLevel      "logging/setLevel"         ToServer V2024_11_05 ..= V2025_11_25 Logging               None, false, false;
    Listen        "subscriptions/listen"     ToServer V2026_07_28 ..= V2026_07_28 None                  None, false, false;

    // Requests to a client; since 2026-07-28 they travel inside `input_required` results.
    Sample        "sampling/createMessage"   ToClient V2024_11_05 ..= V2026_07_28 None None, false, false;
    Elicit        "elicitation/create"       ToClient V2025_06_18 ..= V2026_07_28 None None, false, false;
    ListRoots     "roots/list"               ToClient V2024_11_05 ..= V2026_07_28 None None, false, false;

    // Notifications.
    Initialized      "notifications/initialized"                ToServer V2024_11_05 ..= V2025_11_25 None None, false, false;
    RootsChanged     "notifications/roots/list_changed"         ToServer V2024_11_05 ..= V2025_11_25 None None, false, false;
    Cancelled        "notifications/cancelled"                  Both     V2024_11_05 ..= V2026_07_28 None None, false, false;
    Progress         "notifications/progress"                   Both     V2024_11_05 ..= V2026_07_28 None None, false, false;
    Message          "notifications/message"                    ToClient V2024_11_05 ..= V2026_07_28 None None, false, false;
    ToolsChanged     "notifications/tools/list_changed"         ToClient V2024_11_05 ..= V2026_07_28 None None, false, false;
    ResourcesChanged "notifications/resources/list_changed"     ToClient V2024_11_05 ..= V2026_07_28 None None, false, false;
    PromptsChanged   "notifications/prompts/list_changed"       ToClient V2024_11_05 ..= V2026_07_28 None None, false, false;
    ResourceUpdated  "notifications/resources/updated"          ToClient V2024_11_05 ..= V2026_07_28 None None, false, false;
    Acknowledged     "notifications/subscriptions/acknowledged" ToClient V2026_07_28 ..= V2026_07_28 None None, false, false;
}

impl Method {
    /// Its row of the table.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Whether a peer of that revision may send it to a server.
    pub fn reaches_server(self, version: Version) -> bool {
        let row = self.row();
        row.direction != Direction::ToClient && row.first <= version && version <= row.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enum() {
        for row in TABLE {
            assert_eq!(Method::parse(row.name), Some(row.method));
            assert_eq!(row.method.row().name, row.name);
        }
    }
}
