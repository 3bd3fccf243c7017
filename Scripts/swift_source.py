"""Separates Swift code from comments and string literals.

The checks of this folder look for words such as `import` or `try!`. Those words mean something only in code,
so each check first blanks what is not code. Blanking keeps every line break and every column, so that a
position found in the blanked text is the position in the file.
"""


def code_only(text):
    """Returns `text` with comments, string literals and regex literals turned into spaces.

    Code inside a string's interpolation stays, because it runs.
    """
    return _Blanker(text).run()


def comments_only(text):
    """Returns `text` with everything but comments turned into spaces."""
    return _Blanker(text, keep_comments=True).run()


class _Blanker:
    def __init__(self, text, keep_comments=False):
        self.text = text
        self.at = 0
        self.out = []
        self.keep_comments = keep_comments

    def run(self):
        self._code(closing=None)
        return "".join(self.out)

    def _emit(self, count, keep):
        piece = self.text[self.at:self.at + count]
        self.out.append(piece if keep else "".join(c if c == "\n" else " " for c in piece))
        self.at += len(piece)

    def _code(self, closing):
        """Reads code up to the end, or past the parenthesis that closes an interpolation."""
        depth = 0
        while self.at < len(self.text):
            if self.text.startswith("//", self.at):
                end = self.text.find("\n", self.at)
                self._emit((len(self.text) if end < 0 else end) - self.at, self.keep_comments)
            elif self.text.startswith("/*", self.at):
                self._block_comment()
            elif self._string_ahead():
                self._string()
            elif self._regex_ahead():
                self._emit(self._regex_length(), False)
            else:
                character = self.text[self.at]
                if closing and character == "(":
                    depth += 1
                elif closing and character == ")":
                    if depth == 0:
                        self._emit(1, not self.keep_comments)
                        return
                    depth -= 1
                self._emit(1, not self.keep_comments)

    def _block_comment(self):
        depth, end = 0, self.at
        while end < len(self.text):
            if self.text.startswith("/*", end):
                depth, end = depth + 1, end + 2
            elif self.text.startswith("*/", end):
                depth, end = depth - 1, end + 2
                if depth == 0:
                    break
            else:
                end += 1
        self._emit(end - self.at, self.keep_comments)

    def _pounds(self):
        count = 0
        while self.text.startswith("#", self.at + count):
            count += 1
        return count

    def _string_ahead(self):
        return self.text.startswith('"', self.at + self._pounds())

    def _string(self):
        pounds = self._pounds()
        quote = '"""' if self.text.startswith('"""', self.at + pounds) else '"'
        escape, closing = "\\" + "#" * pounds, quote + "#" * pounds
        self._emit(pounds + len(quote), False)
        while self.at < len(self.text):
            if self.text.startswith(closing, self.at):
                self._emit(len(closing), False)
                return
            if self.text.startswith(escape, self.at):
                self._emit(len(escape), False)
                if self.text.startswith("(", self.at):
                    self._emit(1, not self.keep_comments)
                    self._code(closing=")")
                else:
                    self._emit(1, False)
            elif quote == '"' and self.text[self.at] == "\n":
                return  # An unfinished literal: the compiler says more about it than a check can.
            else:
                self._emit(1, False)

    def _regex_ahead(self):
        return self._regex_length() > 0

    def _regex_length(self):
        """The length of the regex literal at this position, 0 where there is none."""
        pounds = self._pounds()
        start = self.at + pounds
        if not self.text.startswith("/", start):
            return 0
        if pounds:
            end = self.text.find("/" + "#" * pounds, start + 1)
            return 0 if end < 0 else end + 1 + pounds - self.at
        before = self.text[:self.at].rstrip(" \t")
        if before and before[-1] not in "(,=:[{;\n":
            return 0  # After an operand a slash divides.
        end = start + 1
        if self.text[end:end + 1] in ("", " ", "\t", "\n", ")"):
            return 0
        while end < len(self.text) and self.text[end] != "\n":
            if self.text[end] == "\\":
                end += 1
            elif self.text[end] == "/":
                return end + 1 - self.at
            end += 1
        return 0
