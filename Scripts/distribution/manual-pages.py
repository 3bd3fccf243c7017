#!/usr/bin/env python3
"""Writes a manual page for each command, from the help of the program.

usage: manual-pages.py PROGRAM FOLDER

The pages have the date of SOURCE_DATE_EPOCH, or of today.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

HEADING = re.compile(r"[A-Z][A-Z ]+$")


def escaped(text):
    """Text as roff prints it: backslashes and hyphens literally, and no line read as a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def literal(lines):
    """Lines that keep their breaks and indents."""
    return [".nf", escaped("\n".join(lines)), ".fi"]


def discussion(text):
    """The sections of a discussion: (heading or None, lines of roff)."""
    sections = [(None, [])]
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = part.split("\n")
        if HEADING.match(lines[0].strip()):
            sections.append((lines.pop(0).strip(), []))
        if not lines:
            continue
        roff = sections[-1][1]
        roff.append(".PP")
        if any(line.startswith("  ") for line in lines):
            roff.extend(literal(lines))
        else:
            roff.append(escaped("\n".join(lines)))
    return sections


def arguments(command):
    """The visible arguments of a command, by the title of their section."""
    groups = {}
    for argument in command.get("arguments", []):
        if argument.get("shouldDisplay"):
            title = (argument.get("sectionTitle") or
                     ("Arguments" if argument["kind"] == "positional" else "Options"))
            groups.setdefault(title, []).append(argument)
    return groups


def named(argument):
    """The names of an argument, and its value."""
    value = f"\\fI{escaped(argument.get('valueName', ''))}\\fR"
    if argument["kind"] == "positional":
        return value
    names = ", ".join(
        f"\\fB{escaped(('--' if name['kind'] == 'long' else '-') + name['name'])}\\fR" for name in argument["names"])
    return f"{names} {value}" if argument["kind"] == "option" else names


def usage(program, path):
    """The usage lines that the help prints."""
    environment = {**os.environ, "COLUMNS": "200"}
    text = subprocess.run([program, "help", *path], check=True, capture_output=True, text=True, env=environment).stdout
    match = re.search(r"^USAGE: (.*?)\n\n", text + "\n\n", re.S | re.M)
    return [line.strip() for line in match[1].split("\n")] if match else []


def page(program, command, path, date, version):
    """The manual page of a command."""
    name = "-".join(["storekeeper", *path])
    lines = [
        f'.TH "{name.upper()}" 1 "{date}" "storekeeper {version}" "User Commands"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(command['abstract'].rstrip('.'))}",
        ".SH SYNOPSIS",
        *literal(usage(program, path)),
    ]
    sections = discussion(command.get("discussion", ""))
    if sections[0][1]:
        lines += [".SH DESCRIPTION", *sections[0][1]]
    visible = [sub for sub in command.get("subcommands", []) if sub.get("shouldDisplay") and sub["commandName"] != "help"]
    if visible:
        lines.append(".SH COMMANDS")
        for sub in visible:
            full = "\\-".join([escaped(name), escaped(sub["commandName"])])
            lines += [".TP", f"\\fB{full}\\fR(1)", escaped(sub["abstract"])]
    for title, group in arguments(command).items():
        lines.append(f'.SH "{title.upper()}"')
        for argument in group:
            lines += [".TP", named(argument), escaped(argument.get("abstract", ""))]
    for title, body in sections[1:]:
        lines += [f'.SH "{title}"', *body]
    others = [["storekeeper", *path[:-1]]] if path else []
    if others:
        parent = escaped("-".join(others[0]))
        lines += [".SH SEE ALSO", f"\\fB{parent}\\fR(1)"]
    # A paragraph directly after a heading needs no request.
    kept = [line for index, line in enumerate(lines)
            if not (line == ".PP" and lines[index - 1].startswith(".SH"))]
    return name, "\n".join(kept) + "\n"


def main(program, folder):
    program = os.path.abspath(program)
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    run = lambda *words: subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    version = run("--version").split()[0]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    def write(command, path):
        name, text = page(program, command, path, date, version)
        (folder / f"{name}.1").write_text(text, encoding="utf-8")
        for sub in command.get("subcommands", []):
            if sub.get("shouldDisplay") and sub["commandName"] != "help":
                write(sub, [*path, sub["commandName"]])

    write(json.loads(run("--experimental-dump-help"))["command"], [])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
