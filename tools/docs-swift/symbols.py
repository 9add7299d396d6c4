"""Fails for public items that have no documentation, or no place in the topics: `symbols.py SYMBOL_GRAPH CATALOG`.

What is required by a protocol is documented there; an initialiser whose arguments are the members of its type, by the members. The
protocol's types are generated from its schema, which says what it says.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

GENERATED = "bindings-swift/Sources/Omniport/Types/"


def main(graph: dict, catalog: str) -> int:
    symbols = graph["symbols"]
    inherited = {relation["source"] for relation in graph["relationships"] if "sourceOrigin" in relation}
    members: dict[tuple[str, ...], set[str]] = {}
    for symbol in symbols:
        *parent, name = symbol["pathComponents"]
        members.setdefault(tuple(parent), set()).add(name)

    def is_memberwise(symbol: dict) -> bool:
        *parent, name = symbol["pathComponents"]
        labels = name.removeprefix("init(").removesuffix(")").split(":")[:-1]
        return symbol["kind"]["identifier"] == "swift.init" and set(labels) - {"_"} <= members[tuple(parent)]

    found = []
    for symbol in symbols:
        place = symbol.get("location")
        # Without a place it was made by the compiler.
        if place is None or "docComment" in symbol or symbol["identifier"]["precise"] in inherited:
            continue
        if GENERATED in place["uri"] or is_memberwise(symbol):
            continue
        path = place["uri"].partition("bindings-swift/")[2]
        found.append(
            f"bindings-swift/{path}:{place['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])} has no documentation"
        )
    listed = set(re.findall(r"^- ``(.+)``$", catalog, re.MULTILINE))
    for symbol in symbols:
        if len(symbol["pathComponents"]) == 1 and symbol["pathComponents"][0] not in listed:
            found.append(f"no topic lists {symbol['pathComponents'][0]}")
    sys.stderr.writelines(f"{line}\n" for line in sorted(found))
    return 1 if found else 0


if __name__ == "__main__":
    articles = "".join(article.read_text() for article in Path(sys.argv[2]).glob("*.md"))
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text()), articles))
