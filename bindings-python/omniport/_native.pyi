"""The boundary: the same few calls that every language makes. JSON text crosses, nothing else.

Rust never calls Python. It queues events and makes the descriptor of `Engine.wake_fd` readable once per idle-to-busy edge;
`Engine.next_batch` takes all that is queued.
"""

from typing import Final

# Kinds of an event, the first member of each tuple of a batch: (kind, token, slot, text).
CALL: Final[int]  # run the tool in `slot`; text: the arguments, a JSON object, already validated against the tool's schema
READ: Final[int]  # read the resource or template in `slot`; text: {"uri": str, "variables": {name: str | [str]}}
GET: Final[int]  # the prompt in `slot`; text: the arguments, a JSON object of strings
COMPLETE: Final[int]  # completion handler in `slot`; text: {"argument": name, "value": str, "arguments": {name: str}}
VISIBLE: Final[
    int
]  # which of these may the caller see; text: {"kind": "tools"|"resources"|"templates"|"prompts", "names": [...]}; complete with a JSON array of the names that stay
AUTHENTICATE: Final[
    int
]  # who is this; text: {"headers": {name: value}}; complete with a principal {"subject": str, "client"?: str, "scopes"?: [str], "claims"?: {...}} or fail
ANSWER: Final[
    int
]  # the answer to a question of call `token`; slot: the question's number; text: {"result": {...}} or {"error": {"kind", "code", "message", "data"}}
CANCEL: Final[int]  # call `token` is over for its caller: stop it; text: the reason (plain text)
EVENT: Final[int]  # something a client told the server; text: {"event": "roots_changed" | "subscribed" | "unsubscribed", ...}
AUDIT: Final[int]  # after each call, when asked for; text: {"kind", "name", "principal", "arguments_sha256", "outcome", "ms"}
REPORT: Final[int]  # a fault worth a log line; slot: level (10 debug .. 40 error); text: plain text
HTTP: Final[
    int
]  # for `Engine.handle_http`; token: its token; slot 0 head: {"status": int, "headers": [[n, v]]}, 1 body bytes, 2 the end
END: Final[
    int
]  # nothing will follow: the last transport of a server closed, or close() was called (a client in memory is no transport)

Event = tuple[int, int, int, bytes]

# Parts of what a client tells, the second member of each tuple of `Inbox.take`: (client, part, token, text).
TOLD_RESULT: Final[int]  # the answer of call `token`
TOLD_ERROR: Final[int]  # its failure; text: {"kind", "code", "message", "data"?, "retry", "context"}
TOLD_INPUT: Final[int]  # the answer of call `token`, made by hand, that says what input it needs
TOLD_PROGRESS: Final[int]  # how far it is; text: the parameters of the notification
TOLD_LOG: Final[int]  # a log message, of call `token` where that is not 0; text: the parameters of the notification
TOLD_ASKED: Final[
    int
]  # the server asks; token: the number for `Client.answer`; text: {"elicit" | "elicit_url" | "sample" | "roots": params}
TOLD_WITHDRAWN: Final[int]  # question `token` needs no answer any more
TOLD_CHANGE: Final[
    int
]  # text: {"kind": "tools"|"resources"|"prompts"|"resource"|"missed"|"ended", "uri"?, "added"?, "removed"?, "changed"?}; "missed", "ended": of the subscription that call `token` opened, "missed" also of everything when it is 0
TOLD_STATE: Final[int]  # text: {"state": "connecting"|"ready"|"recovering"|"failed"|"closed", "cause"?}
TOLD_STDERR: Final[int]  # a line of the server process, plain text
TOLD_REPORT: Final[int]  # a fault worth a log line; token: its level (10 debug .. 40 error); plain text
TOLD_CLOSED: Final[int]  # the connection is over, and every call has its result; text: the error that ended it

Told = tuple[int, int, int, bytes]

class Fault(Exception):
    """A failure inside the engine, with every fact: kind, code, message, data (JSON text or None), retry, context."""

    kind: str
    code: int
    message: str
    data: bytes | None
    retry: bool
    context: dict[str, str]

class Engine:
    """One server definition and its queue. Thread-safe; nothing here blocks except where said."""

    def __init__(self, options: bytes) -> None:
        """`options`: JSON {"name", "version", "title"?, "description"?, "website_url"?, "icons"?, "instructions"?, "limits"?: {name: number},
        "page_size"?, "mask_errors"?: bool, "auth"?: bool, "visibility"?: bool, "audit"?: bool, "state_keys"?: [base64 of 32 bytes, newest first],
        "cache"?: {"tools"|"resources"|"templates"|"prompts"|"discover"|"read": {"ttl_ms": int, "scope": "public"|"private"}},
        "rate"?: guard for all calls of one principal, see add_tool, "concurrency"?: int, "timeout"?: seconds,
        "subscribe"?: bool, "legacy_sessions"?: bool (false: stateless legacy mode)}"""

    # Registry. `definition` is the protocol's own object for the thing (as in `omniport.types`); `options` a JSON object.
    # Each returns the slot that events name. Adding a name again replaces it. Raises Fault(kind="definition") and names what and where.
    def add_tool(self, definition: bytes, options: bytes) -> int:
        """options: {"timeout"?: seconds, "concurrency"?: int, "rate"?: {"calls": int, "per": seconds, "by"?: "principal"|"all"}, "once"?: bool, "unchecked"?: bool}"""
    def add_resource(self, definition: bytes, options: bytes) -> int:
        """options: {"cache"?: {"ttl_ms", "scope"}}"""
    def add_template(self, definition: bytes, options: bytes) -> int:
        """options: {"unsafe_variables"?: [str], "cache"?}; Fault when the template is invalid."""
    def add_prompt(self, definition: bytes, options: bytes) -> int: ...
    def add_completion(self, reference: bytes, argument: str) -> int:
        """reference: {"prompt": name} or {"template": uri}"""
    def remove(self, kind: str, name: str) -> bool:
        """kind: "tool", "resource", "template", "prompt"; connected clients are told."""
    def template_variables(self, template: str) -> list[str]:
        """The variables of an RFC 6570 template, in order."""
    def resource_updated(self, uri: str) -> None:
        """Tells the subscribers of `uri`."""

    def limit(self, name: str) -> float:
        """The value of a limit that is in force, by its name in `limits`."""

    # The queue.
    def wake_fd(self) -> int:
        """A descriptor that becomes readable when `next_batch` has something."""
    def next_batch(self) -> list[Event]:
        """Everything queued, at most `limit` events; never blocks. Clears the descriptor first."""
    def wait_batch(self, seconds: float) -> list[Event]:
        """The same, but waits (GIL released) for the first event. For loops without add_reader."""
    def complete(self, token: int, text: bytes) -> None:
        """The answer of a handler. For CALL: {"structuredContent"?: any, "content"?: [...], "isError"?: bool, "_meta"?: {...}}; without `content` the engine
        mirrors the structured value as text (a string as itself, without quotes). For READ: {"contents": [...]} ; GET: {"description"?, "messages"}; COMPLETE: {"values": [...], "total"?, "hasMore"?}.
        A token that is over is ignored."""
    def fail(self, token: int, kind: str, code: int | None, message: str, data: bytes | None) -> None:
        """kind "tool": a tool error the model can read; "protocol": a JSON-RPC error with `code`; "internal": text may be masked; "not_found": unknown tool/resource/prompt;
        any other kind of `Fault`: a JSON-RPC error of that kind, with its own code when `code` is None."""
    def notice(self, token: int, text: bytes) -> None:
        """{"progress": number, "total"?: number, "message"?: str} or {"level": str, "data": any, "logger"?: str} of a running call."""
    def ask(self, token: int, question: bytes) -> tuple[int, bytes | None]:
        """{"elicit": {message, requestedSchema} | {mode: "url", message, url}} or {"sample": {...}} or {"roots": {}}. Returns the question's number and, when a replay knows it, the
        answer at once (as the text of an ANSWER event); else an ANSWER event follows. Questions asked before `flush` go out in one round. Raises Fault(kind="missing_capability")."""
    def step(self, token: int, name: str) -> bytes | None:
        """The kept result of the step `name`, JSON text, or None when it has not run."""
    def keep_step(self, token: int, name: str, value: bytes) -> None: ...
    def flush(self) -> None:
        """Sends what was written and asked since the last flush. Called once per tick of the loop; cheap when there is nothing."""
    def context(self, token: int) -> bytes:
        """{"request_id", "era": "legacy"|"modern", "protocol_version", "client": {...}|null, "capabilities": {...}, "session_id"?, "headers": {lowercase name: value},
        "principal"?: {...}, "meta": {...}, "log_level"?: str, "wants_progress": bool, "resumed": bool, "http"?: the token of the `handle_http` that brought the call}"""
    def close_stream(self, token: int) -> None:
        """Ends the event stream of a running call without its answer, so that a client polls (legacy resumable streams); no effect elsewhere."""

    # Transports. Each start call returns at once; an END event follows when the last one is over.
    def serve_stdio(self) -> None:
        """Takes descriptors 0 and 1; whatever else writes to stdout goes to stderr from now on."""
    def serve_http(self, options: bytes) -> str:
        """options: {"host", "port", "path"?: "/mcp", "sse_path"?: "/sse", "message_path"?: "/messages/", "allowed_hosts"?: [...], "allowed_origins"?: [...], "allow_any_host"?: bool,
        "cors"?: {"origins": [...]}, "json_only"?: bool, "threads"?: int}. Returns the bound address "host:port"."""
    def handle_http(self, head: bytes, body: bytes) -> int:
        """For a foreign web server: head {"method", "path", "query", "headers": [[n, v]], "principal"?: {...}, "root_path"?, "server"?: the address that the foreign server is bound to}. Answers as HTTP events of the returned token."""
    def sent_http(self, token: int, bytes: int) -> None:
        """So many bytes of the answer's body were passed on: how the engine knows that a reader is slow."""
    def drop_http(self, token: int) -> None:
        """The foreign client went away: its request is cancelled."""
    def close(self, grace: float) -> None:
        """Stops listening, lets running calls go on for `grace` seconds, ends streams, then queues END."""

def check_target(target: bytes) -> None:
    """Raises `Fault` where `Client.connect_target` would, for the same reasons."""

class Inbox:
    """What clients tell one event loop or one waiting thread. Answers overtake logs, changes, lines of stderr and reports."""

    def __init__(self) -> None: ...
    def wake_fd(self) -> int:
        """A descriptor that becomes readable when `take` has something."""
    def take(self) -> list[Told]:
        """What was told, at most a few hundred things; never blocks. Clears the descriptor first."""

class Client:
    """One connection of a client. Thread-safe; nothing here blocks."""

    def __init__(self, home: Inbox, options: bytes) -> None:
        """What belongs to no call is told to `home`. options: {"name", "version", "answers"?: {"sample"?, "sample_tools"?, "elicit"?, "elicit_url"?, "roots"?: bool}: what this host can be asked, "capabilities"?: {...} declared besides, "era"?: "auto"|"legacy"|"modern", "protocol_version"?: a revision,
        "known"?: the revision spoken the last time, "recover"?: bool, "check_output"?: bool, "watch_changes"?: bool, "limits"?, "listens"?: {"progress"?, "log"?, "stderr"?: bool}: notifications that are told at all}"""
    def number(self) -> int:
        """Names the client in every inbox."""
    def connect_target(self, inbox: Inbox, target: bytes) -> int:
        """target: one of {"url"}, {"command": [text, ..]}, {"entry": as in an `mcpServers` file}, {"file": its text, "name"?}, each with "env"?, "cwd"? and "http"?: {"headers"?, "ca_file"?, "ca_pem"?, "client_cert"?,
        "client_key"?, "verify"?: bool, "proxy"?: URL | "env" | "off", "cookies"?: bool, "socket"?}. Returns a token, whose answer in `inbox` says {"server", "capabilities", "protocol_version", "instructions"}."""
    def connect_engine(self, inbox: Inbox, server: Engine) -> int:
        """In memory; otherwise as `connect_target`."""
    def request(self, inbox: Inbox, what: str, params: bytes, options: bytes | None) -> int:
        """what: "list_tools", "call_tool", "list_resources", "list_templates", "read_resource", "list_prompts", "get_prompt", "complete", "ping", "set_log_level", "subscribe", "unsubscribe", "listen".
        `params` are the protocol's own, except for "complete": {"reference": as for `Engine.add_completion`, "argument", "value", "arguments"?, "_meta"?} and "listen": {"tools"?, "resources"?, "prompts"?: bool, "uris"?: [str], "_meta"?}.
        options: {"timeout"?, "total_timeout"?: seconds, "headers"?: {name: value}, "safe"?, "fresh"?, "one_page"?, "by_hand"?: bool, "listens"?: {"progress"?, "log"?: bool}}.
        Returns a token; its answer, progress and log messages go to `inbox`."""
    def cancel(self, token: int, reason: str) -> None:
        """Takes a call back: it fails as cancelled at once, and the server is told. A token that is over is ignored."""
    def answer(self, number: int, answer: bytes) -> None:
        """The answer to what the server asked: {"result": {...}} or {"error": {"kind", "message", "code"?, "data"?}}."""
    def roots_changed(self) -> None:
        """The roots are different now: a legacy server is told, a modern one asks when it wants to know."""
    def handled(self, count: int) -> None:
        """So many notifications (progress, logs, changes, lines of stderr) were handled: when `host_events` of them wait, further ones are dropped and counted."""
    def move_home(self, inbox: Inbox) -> None:
        """What belongs to no call is told there from now on."""
    def close(self, inbox: Inbox) -> int:
        """Ends the connection. Returns a token; its answer comes when nothing is left: the server process has exited, the session is deleted."""
