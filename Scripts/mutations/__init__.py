"""The rules that are broken one by one to check that tests fail, with a file per area.

`expression` or `statement` is the source text of a rule, which must occur once in its file; `instead` replaces it in the
broken version: another expression of the same type, or other statements (empty: they are removed). To make a short text
unique, add the surrounding text outside of guillemets: `if !isOn, «line.isInBillingRetry» {`. `tests` is a regular
expression for the tests that must fail.
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
    # The file of the rule.
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
