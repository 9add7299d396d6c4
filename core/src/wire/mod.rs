//! JSON-RPC and server-sent events as text. Knows nothing of MCP.
