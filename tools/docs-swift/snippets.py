"""Compiles the Swift examples of documents, so that none of them says what no longer works.

`snippets.py OUT DOCUMENT...` writes the fenced `swift` blocks into OUT, as files for the compiler (`run` compiles them):

- A block that imports Omniport is a file as it stands, `NAME/main.swift`; one with `@Test` cannot have code outside of functions.
- One that imports PackageDescription is a manifest, `NAME/Package.swift`.
- Any other is the body of a function that is handed what the documents assume to be there: `given.swift`. All of them are one module.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
FENCED = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main(out: Path, documents: list[Path]) -> None:
    bodies = out / "bodies"
    bodies.mkdir(parents=True)
    for source in HERE.glob("given/*.swift"):
        (bodies / source.name).write_text(source.read_text())
    for document in documents:
        text = document.read_text()
        for block in FENCED.finditer(text):
            line = text.count("\n", 0, block.start()) + 2
            name = f"{document.parent.name}_{document.stem}_{line}".replace("-", "_").replace(".", "_")
            write(out, bodies, name, block[1], f'#sourceLocation(file: "{document}", line: {line})\n')


def write(out: Path, bodies: Path, name: str, code: str, place: str) -> None:
    if "import PackageDescription" in code:
        (out / name).mkdir()
        (out / name / "Package.swift").write_text(code)
    elif "import Vapor" in code:
        (bodies / f"{name}.swift").write_text(place + code.replace("import Vapor", "import Foundation"))
    elif re.search(r"^import ", code, re.MULTILINE):
        (out / name).mkdir()
        file = "Tests.swift" if "@Test" in code else "main.swift"
        (out / name / file).write_text(place + code)
    else:
        body = f"func {name}(_ given: Given) async throws {{\n{GIVEN}{place}{code}#sourceLocation()\n    }}\n}}\n"
        (bodies / f"{name}.swift").write_text(f"import Foundation\nimport Omniport\n\n{body}")


# Constants outside of the block, which may define its own of the same name.
GIVEN = "    let (app, client, hotel, tokens, journal, sheet, png, phase) = given.all\n    do {\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name).resolve() for name in sys.argv[2:]])
