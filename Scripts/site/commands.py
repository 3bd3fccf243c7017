"""A page for each command, from the help of the program."""

import json
import os
import re
import subprocess

from layout import Page, escape


class Program:
    def __init__(self, path):
        self.path = path
        self.root = json.loads(self.run("--experimental-dump-help"))["command"]

    def run(self, *arguments):
        environment = {"PATH": "/usr/bin:/bin", "COLUMNS": "100"}
        return subprocess.run(
            [self.path, *arguments], check=True, capture_output=True, text=True, env=environment).stdout

    def commands(self, command=None, words=()):
        """Yields all commands: the words and the description."""
        command = command or self.root
        yield list(words), command
        for child in command.get("subcommands", []):
            if child["commandName"] != "help" and child.get("shouldDisplay", True):
                yield from self.commands(child, (*words, child["commandName"]))

    def usage(self, words):
        text = self.run(*words, "--help")
        found = re.search(r"^USAGE: (.*?)\n\n", text + "\n\n", re.S | re.M)
        return "\n".join(line.strip() if "storekeeper" in line else line for line in found[1].splitlines())


def place(words):
    return f"commands/{'-'.join(words) or 'storekeeper'}.html"


def examples(lines):
    """Returns the HTML of examples: a caption, and the commands below it."""
    parts, commands = [], []
    for line in [*lines, None]:
        is_caption = line is not None and not commands and re.search(r"[:?.]$", line) and not line.startswith(" ")
        if line is None or is_caption or not line:
            if commands:
                margin = min(len(each) - len(each.lstrip()) for each in commands)
                code = escape("\n".join(each[margin:] for each in commands))
                parts.append(f'<pre><code class="language-sh">{code}</code></pre>')
            commands = []
            if is_caption:
                parts.append(f"<p>{escape(line)}</p>")
        else:
            commands.append(line)
    return "".join(parts)


def discussion(text):
    """Returns the HTML of a help text: paragraphs, headings in capitals, and indented lines as they are."""
    parts, lines, kind, is_example = [], [], None, False

    def end():
        nonlocal lines
        while lines and not lines[-1]:
            lines.pop()
        if lines and kind == "indented":
            margin = min(len(line) - len(line.lstrip()) for line in lines if line)
            indented = [line[margin:] for line in lines]
            parts.append(examples(indented) if is_example else f"<pre><code>{escape(chr(10).join(indented))}</code></pre>")
        elif lines:
            parts.append(f"<p>{escape(' '.join(lines))}</p>")
        lines = []

    for line in text.split("\n"):
        if re.fullmatch(r"[A-Z][A-Z ,\-]+(--contains)?", line):
            end()
            is_example = line == "EXAMPLES"
            parts.append(f'<h2 id="{line.lower().replace(" ", "-").replace(",", "")}">{line.capitalize()}</h2>')
        elif not line:
            if kind == "indented" and lines:
                lines.append(line)
            else:
                end()
        else:
            of_line = "indented" if line.startswith("  ") else "text"
            if of_line != kind:
                end()
            kind = of_line
            lines.append(line)
    end()
    return "\n".join(parts)


def flag(name):
    return f"--{name['name']}" if name["kind"] == "long" else f"-{name['name']}"


def argument_rows(arguments):
    for argument in arguments:
        value = argument.get("valueName", "")
        if argument["kind"] == "positional":
            name, identifier = f"<{value}>", f"argument-{value}"
        else:
            name = ", ".join(flag(each) for each in argument["names"])
            identifier = f"option-{argument['preferredName']['name']}"
            if argument["kind"] == "option":
                name += f" <{value}>"
        yield identifier, name, argument.get("abstract", "")


def pages(program):
    known = {" ".join(words) for words, _ in program.commands()}
    for words, command in program.commands():
        title = " ".join(["storekeeper", *words])
        body = [
            f"<h1>{escape(title)}</h1>", f"<p>{escape(command.get('abstract', ''))}</p>",
            f"<pre><code>{escape(program.usage(words))}</code></pre>", discussion(command.get("discussion", ""))]
        children = [
            child for child in command.get("subcommands", []) if " ".join([*words, child["commandName"]]) in known]
        if children:
            rows = "".join(
                f'<li><a href="@/{place([*words, child["commandName"]])}">'
                f"{escape(' '.join([*words, child['commandName']]))}</a>: {escape(child['abstract'])}" for child in children)
            body.append(f"<h2 id=\"commands\">Commands</h2><ul>{rows}</ul>")
        groups, anchors = {}, []
        for argument in command.get("arguments", []):
            if argument.get("shouldDisplay", True) and argument.get("preferredName", {}).get("name") not in (
                    "help", "version"):
                group = "Arguments" if argument["kind"] == "positional" else argument.get("sectionTitle", "Options")
                groups.setdefault(group, []).append(argument)
        # The command's own options come before those that many commands share.
        for group in sorted(groups, key=lambda name: (name != "Arguments", name != "Options")):
            rows = []
            for identifier, name, about in argument_rows(groups[group]):
                identifier = re.sub(r"[^a-z0-9-]+", "-", identifier.lower()).strip("-")
                rows.append(f'<dt id="{identifier}"><code>{escape(name)}</code></dt><dd>{escape(about)}</dd>')
                anchors.append((identifier, f"{name} ({title})", about))
            body.append(f"<h2>{escape(group)}</h2><dl>{''.join(rows)}</dl>")
        yield Page(
            place(words), title.removeprefix("storekeeper ") if words else title, "\n".join(body), "Commands",
            command.get("abstract", ""), anchors=anchors)
