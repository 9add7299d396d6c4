"""Prepares the Swift examples of documents for the compiler, so that none of them says what no longer works.

`snippets.py OUT DOCUMENT...` writes the fenced `swift` blocks of Markdown and of doc comments into OUT, as files for the compiler,
which `run` calls:

- A block that imports Omniport is a program, `programs/NAME.swift`. If it starts `.build/debug/demo`, that is the one before it,
  whose name is in `NAME.starts`; and what it prints, as its comments say, is in `NAME.prints`.
- One with `@Test` is a suite, `tests/NAME.swift`.
- One that imports PackageDescription is a manifest, `manifests/NAME/Package.swift`.
- Any other is the body of a function that is handed what the documents assume to be there (`given/`). All of these are one module,
  `bodies/*.swift`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
FENCED = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^ *print\(.*\)  // (.*)$", re.MULTILINE)
# Outside of the block, which may define its own of the same name.
GIVEN = "let (app, client, hotel, tokens, journal, sheet, png, phase) = given.all"


def main(out: Path, documents: list[Path]) -> None:
    for folder in ["programs", "tests", "manifests", "bodies"]:
        (out / folder).mkdir(parents=True)
    for source in (HERE / "given").iterdir():
        (out / "bodies" / source.name).write_text(source.read_text())
    for document in documents:
        text = document.read_text()
        if document.suffix == ".swift":
            text = "\n".join(comment_of(line) for line in text.split("\n"))
        before = ""
        for block in FENCED.finditer(text):
            line = text.count("\n", 0, block.start()) + 2
            name = re.sub(r"\W", "_", f"of_{document.parent.name}_{document.stem}_{line}")
            place = f'#sourceLocation(file: "{document}", line: {line})\n'
            before = write(out, name, block[1], place, before)


def comment_of(line: str) -> str:
    """What a line of Swift documents."""
    return line.strip().removeprefix("///").removeprefix(" ") if line.strip().startswith("///") else ""


def write(out: Path, name: str, code: str, place: str, before: str) -> str:
    """Writes a block; the name of the last program."""
    if "import PackageDescription" in code:
        (out / "manifests" / name).mkdir()
        (out / "manifests" / name / "Package.swift").write_text(code)
    elif "import Vapor" in code:
        (out / "bodies" / f"{name}.swift").write_text(place + code.replace("import Vapor", "import Foundation"))
    elif "@Test" in code:
        (out / "tests" / f"{name}.swift").write_text(place + code)
    elif "import Omniport" in code:
        (out / "programs" / f"{name}.swift").write_text(place + code)
        if ".build/debug/demo" in code:
            (out / "programs" / f"{name}.starts").write_text(before)
            (out / "programs" / f"{name}.prints").write_text("".join(f"{printed}\n" for printed in PRINTED.findall(code)))
        return name
    else:
        body = f"func {name}(_ given: Given) async throws {{\n{GIVEN}\ndo {{\n{place}{code}#sourceLocation()\n}}}}\n"
        (out / "bodies" / f"{name}.swift").write_text(f"import Foundation\nimport Omniport\n\n{body}")
    return before


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name).resolve() for name in sys.argv[2:]])
