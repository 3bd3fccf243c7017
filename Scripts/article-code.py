#!/usr/bin/env python3
"""Makes a package of the Swift code in the articles, guides and README, which sees only public declarations.

usage: article-code.py FOLDER

Writes the package into FOLDER: the manifest of Examples/Articles, and of each of its Frames a source with the blocks of
the article of that name in place of the comments `// block N`. A comment with more words after the number stands for a
block that cannot be compiled. Exits with 1 where a block stands in no frame and in no other example.
"""

import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "Examples"
FRAMES = EXAMPLES / "Articles" / "Frames"
MARK = re.compile(r"^( *)// block (\d+)(.*)$")


def fail(message):
    raise SystemExit(f"article-code: {message}")


def blocks(article):
    """Returns the Swift blocks of an article: the number of the first line, and the lines."""
    found, opened = [], None
    for number, line in enumerate(article.read_text(encoding="utf-8").splitlines(), 1):
        if line == "```swift":
            opened = (number + 1, [])
        elif line == "```" and opened:
            found.append(opened)
            opened = None
        elif opened:
            opened[1].append(line)
    return found


def filled(frame, article, code):
    """Returns the source made of a frame and the blocks of its article."""
    name, out, missing = article.relative_to(ROOT), [], set(range(1, len(code) + 1))
    for number, line in enumerate(frame.read_text(encoding="utf-8").splitlines(), 1):
        mark = MARK.match(line)
        if not mark:
            out.append(line)
            continue
        block = int(mark[2])
        if block not in missing:
            fail(f"{frame.relative_to(ROOT)}:{number}: {name} has no block {block}, or it stands here twice")
        missing.remove(block)
        if mark[3]:
            continue
        first, lines = code[block - 1]
        # The compiler reports errors at the line of the article.
        out.append(f'#sourceLocation(file: "{name}", line: {first})')
        out += lines
        out.append("#sourceLocation()")
    if missing:
        fail(f"{frame.relative_to(ROOT)}: block {min(missing)} of {name} does not stand here")
    return "\n".join(out) + "\n"


def stripped(lines):
    return "\n" + "\n".join(line.strip() for line in lines) + "\n"


def main():
    if len(sys.argv) != 2:
        fail("usage: article-code.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    sources = folder / "Tests" / "ArticlesTests"
    shutil.rmtree(sources, ignore_errors=True)
    sources.mkdir(parents=True)
    shutil.copy(EXAMPLES / "Articles" / "Package.swift", folder)

    articles = [
        ROOT / "README.md", *sorted((ROOT / "Documentation" / "Guides").glob("*.md")),
        *sorted((ROOT / "Sources").glob("*/Documentation.docc/*.md"))]
    frames = {frame.stem: frame for frame in FRAMES.glob("*.swift")}
    examples = [
        stripped(file.read_text(encoding="utf-8").splitlines())
        for file in EXAMPLES.rglob("*.swift") if FRAMES not in file.parents and ".build" not in file.parts]
    count = 0
    for article in articles:
        code = blocks(article)
        frame = frames.pop(article.stem, None) if code else None
        if frame:
            text = filled(frame, article, code)
            (sources / frame.name).write_text(text, encoding="utf-8")
        else:
            for first, lines in code:
                if not any(stripped(lines) in example for example in examples):
                    fail(f"{article.relative_to(ROOT)}:{first}: this code stands in no example; add a frame to "
                         f"{FRAMES.relative_to(ROOT)}")
        count += len(code)
    for frame in frames.values():
        fail(f"{frame.relative_to(ROOT)}: no article with code has this name")
    print(f"{count} blocks of {len(articles)} articles")


if __name__ == "__main__":
    main()
