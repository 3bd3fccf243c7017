"""The rules that are broken one by one to see whether the tests notice. A file an area.

A rule stands as it is in `expression` or `statement`, which is found once in its file, and `instead` stands where it
is broken: another expression of the same type, or other statements (none: they are left out). What surrounds a short
text, so that it is found once, goes around guillemets: `if !isOn, «line.isInBillingRetry» {`. `tests` is a regular
expression for the tests that must notice.
"""

import dataclasses
import importlib
import pathlib


@dataclasses.dataclass
class Rule:
    rule: str
    file: str
    tests: str
    instead: str
    expression: str = ""
    statement: str = ""
    # The file that it stands in.
    area: str = ""

    def context(self):
        """What stands before the text, the text, what stands behind it."""
        text = self.expression or self.statement
        if "«" not in text:
            return "", text, ""
        before, _, rest = text.partition("«")
        whole, _, after = rest.partition("»")
        return before, whole, after

    def both(self, whole, condition):
        """The text with the rule in it, whole and broken."""
        if self.expression:
            return f"({condition} ? ({self.instead}) : ({whole}))"
        return f"if {condition} {{\n{self.instead}\n}} else {{\n{whole}\n}}\n"


RULES = []
for _path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if _path.stem != "__init__":
        for _rule in importlib.import_module(f"{__name__}.{_path.stem}").RULES:
            RULES.append(dataclasses.replace(_rule, area=_path.stem))
