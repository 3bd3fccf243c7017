#!/usr/bin/env python3
"""Inserts the table of the steps of scenarios into an article.

usage: storekeeper simulate --schema | scenario-steps.py ARTICLE
"""

import json
import pathlib
import sys

MARK = "<!-- Scripts/scenario-steps.py inserts the table of steps here. -->"
WHO = ["by", "for", "of"]


def row(step, common):
    word, *_ = step["required"]
    keys = [key for key in step["properties"] if key != word and key not in common]
    who = set(WHO) <= set(keys)
    names = ["who"] * who + [f"`{key}`" for key in keys if not (who and key in WHO)]
    return f"| `{word}` | {step['properties'][word].get('title', '')} | {', '.join(names)} | {step['description']} |"


steps = [step for step in json.load(sys.stdin)["$defs"]["step"]["anyOf"] if "properties" in step]
common = set.intersection(*(set(step["properties"]) for step in steps))
table = ["| Step | Value | Keys | Effect |", "| --- | --- | --- | --- |"] + [row(step, common) for step in steps]
article = pathlib.Path(sys.argv[1])
text = article.read_text(encoding="utf-8")
assert MARK in text, f"{article} has no place for the table of steps"
article.write_text(text.replace(MARK, "\n".join(table)), encoding="utf-8")
