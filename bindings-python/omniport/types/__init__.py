"""The protocol's types, for those who write servers, clients and hosts.

One set of types reads every revision of the specification: a member some revision lacks is optional, unknown members
are ignored, and a value a later revision may add is kept instead of losing the message around it:

- An enumeration is a ``str``; its known texts are in the type for checkers and editors (``Role``, ``LoggingLevel``).
- A union holds a ``dict`` where an item is of an unknown kind or does not decode (``ContentBlock``).

Attributes are in snake case, the wire is not. Constant members (``type``, ``method``) are written by the struct and
can be read from it. A member that was absent stays absent; ``None`` means absent::

    import msgspec
    from omniport.types import CallToolResult, TextContent

    result = CallToolResult(content=[TextContent(text="3")], structured_content={"sum": 3})
    msgspec.json.encode(result)
    # b'{"content":[{"type":"text","text":"3"}],"structuredContent":{"sum":3}}'

    read = msgspec.json.decode(b'{"content":[{"type":"video","data":"AA=="}]}', type=CallToolResult)
    read.content  # [{'type': 'video', 'data': 'AA=='}]

The specification: https://modelcontextprotocol.io/specification/2026-07-28/schema.
"""

from omniport.types import _models, _open
from omniport.types._models import *
from omniport.types._open import *

__all__ = []
__all__ += _models.__all__
__all__ += _open.__all__
