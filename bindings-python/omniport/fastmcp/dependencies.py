"""The running call, for code that it is not handed to."""

from .server.dependencies import Context, CurrentContext, CurrentHeaders, Depends, get_context, get_http_headers

__all__ = ["Context", "CurrentContext", "CurrentHeaders", "Depends", "get_context", "get_http_headers"]
