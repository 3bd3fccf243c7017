"""The reference of settings and of codes, from the sources and the help."""

import re

import yaml
from layout import HERE, ROOT, Page, escape, fail

COMMAND_LINE = ROOT / "Sources" / "StorekeeperCLI"


def data(name):
    return yaml.safe_load((HERE / name).read_text(encoding="utf-8"))


def marked(text):
    """Returns the HTML of a text with code in backquotes; double backquotes are symbols."""
    text = re.sub(r"``(?:[^`]*/)?([^`/]+)``", r"`\1`", text)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def compare(what, described, existing):
    for name in sorted(existing - described):
        fail(f"{what} does not describe {name}")
    for name in sorted(described - existing):
        fail(f"{what} describes {name}, which does not exist")


# MARK: Settings


# The keys of a webhook, whose name the file chooses.
WEBHOOK = "serve.webhooks.NAME."


def setting_keys():
    """Returns the keys of storekeeper.yaml in their order, from the sources."""
    text = (COMMAND_LINE / "Options" / "ConfigurationFile.swift").read_text(encoding="utf-8")
    lists = [re.findall(r'"(\w+)"', found) for found in re.findall(r"allowed: \[(.*?)\]", text, re.S)]
    top = next(names for names in lists if "root" in names)
    policy = next(names for names in lists if "grace" in names)
    text = (COMMAND_LINE / "Options" / "ServiceKey.swift").read_text(encoding="utf-8")
    serve = re.findall(r"\w+", re.search(r"\n    case (.*?)\n\n", text, re.S)[1])
    text = (COMMAND_LINE / "Options" / "WebhookKey.swift").read_text(encoding="utf-8")
    webhooks = re.findall(r"\w+", re.search(r"\n    case (.*?)\n\n", text, re.S)[1])
    return [name for name in top if name not in ("policy", "serve")] + [f"policy.{name}" for name in policy] + [
        f"serve.{name}" for name in serve] + [WEBHOOK + name for name in webhooks]


def variables_of_keys():
    """Returns the variables of the keys outside of `serve`; the key is empty for the path of the file."""
    file = COMMAND_LINE / "Options" / "ConfigurationVariable.swift"
    if not file.exists():
        return {"root": "STOREKEEPER_ROOT"}
    text = file.read_text(encoding="utf-8")
    keys = dict(re.findall(r"case \.(\w+): \[([^\]]*)\]", text))
    return {
        ".".join(re.findall(r'"(\w+)"', keys[name])): variable
        for name, variable in re.findall(r'case (\w+) = "([A-Z_]+)"', text)}


def type_of(argument):
    """Returns the type of an option's value in words."""
    value = argument.get("valueName", "")
    if argument["kind"] == "flag":
        return "true or false"
    if "|" in value:
        *others, last = value.split("|")
        return f"{', '.join(others)} or {last}"
    return {"file": "a path", "n": "a number", "time": "a duration", "address": "an address"}.get(value, value)


def helps(program):
    """Returns the options, by command and name."""
    texts = {}
    for words, command in program.commands():
        for argument in command.get("arguments", []):
            if argument["kind"] != "positional" and argument.get("shouldDisplay", True):
                texts[" ".join(words), argument["preferredName"]["name"]] = argument
    return texts


def settings_page(program):
    keys, described, options = setting_keys(), data("settings.yaml"), helps(program)
    named = variables_of_keys()
    compare("Scripts/site/settings.yaml", set(described), {
        key for key in keys if not key.startswith("serve.") or key.startswith(WEBHOOK)})
    commands = ["serve", "entitlements", "vault import"]
    rows, anchors = [], []
    for key in keys:
        about = described.get(key, {})
        option, variable = about.get("option"), named.get(key, "")
        if key.startswith(WEBHOOK):
            name = re.sub(r"[A-Z]", lambda found: "_" + found[0], key.removeprefix(WEBHOOK)).upper()
            variable = f"STOREKEEPER_SERVE_WEBHOOKS_NAME_{name}"
        elif key.startswith("serve."):
            option = re.sub(r"[A-Z]", lambda found: "-" + found[0].lower(), key.removeprefix("serve."))
            variable = "STOREKEEPER_SERVE_" + option.upper().replace("-", "_")
        command = next((name for name in commands if (name, option) in options), None)
        if option and command is None:
            fail(f"{key} has no option --{option}")
        argument = options.get((command, option), {})
        text = argument.get("abstract", "")
        found = re.search(r" Default: (.+?)\.(?: |$)", text)
        default = about.get("default") or (found[1] if found else "false" if argument["kind"] == "flag" else "none")
        text = about.get("text") or re.sub(r" (?:Default: .*|Replaces the default.*)$", "", text)
        text = re.sub(r"^With --customer: ", "", text)
        link = f'<a href="@/commands/{command.replace(" ", "-")}.html#option-{option}"><code>--{option}</code></a>' if option else ""
        rows.append(
            f'<tr id="{key}"><td><code>{key}</code><td>{escape(about.get("type") or type_of(argument))}<td>{escape(str(default))}<td>{link}'
            f"<td>{f'<code>{variable}</code>' if variable else ''}<td>{marked(text)}</tr>")
        anchors.append((key, key, text))
    variables = data("variables.yaml")
    read = set()
    for file in (ROOT / "Sources").rglob("*.swift"):
        source = file.read_text(encoding="utf-8")
        if "StorekeeperTesting" not in file.parts:
            read |= set(re.findall(r'environment\["([A-Z_]+)"\]', source))
    compare("Scripts/site/variables.yaml", set(variables) - {"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"}, {
        name for name in read if name not in named.values()} - {
        "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"})
    if "" in named:
        variables = {named[""]: "The path of `storekeeper.yaml`; as `--config`.", **variables}
    others = "".join(
        f'<tr id="{name}"><td><code>{name}</code><td>{marked(text)}</tr>' for name, text in variables.items())
    anchors += [(name, name, text) for name, text in variables.items()]
    body = f"""<h1>Settings</h1>
<p>Every key of <code>storekeeper.yaml</code>. An option overrides a variable, which overrides the file. The file is that of
<code>--config</code>, or <code>storekeeper.yaml</code> in the working directory; paths in it are relative to it.</p>
<div class="scroll"><table><tr><th>key<th>type<th>default<th>option<th>variable<th>meaning</tr>{"".join(rows)}</table></div>
<h2 id="variables">Other variables</h2>
<div class="scroll"><table><tr><th>variable<th>meaning</tr>{others}</table></div>"""
    return Page("reference/settings.html", "Settings", body, "Reference", "Every key of storekeeper.yaml, its type, default, "
                "option and variable.", anchors=anchors)


# MARK: Codes


def declared_codes(file):
    """Returns the codes that a source declares, with their documentation comments."""
    text = file.read_text(encoding="utf-8")
    codes = {}
    pattern = re.compile(
        r"((?:^ *///.*\n)+)^ *(?:(?:public|package) static let \w+ = (?:Code|Self)\(rawValue: \"(\w+)\"\)|case (\w+)$)", re.M)
    is_enum = "public enum Code" in text
    for found in pattern.finditer(text):
        code = found[2] or (found[3] if is_enum else None)
        if code:
            comment = " ".join(line.strip().removeprefix("///").strip() for line in found[1].strip().splitlines())
            codes[code] = comment
    return codes


def declared_problems(folder):
    """Returns the codes of the problems that a service answers with, with their status and title."""
    codes = {}
    pattern = re.compile(r'(?:Problem|self\.init)\(\s*(\d{3}|[\w.]+), "(\w+)", "([^"]+)"')
    for file in sorted(folder.glob("*.swift")):
        for status, code, title in pattern.findall(file.read_text(encoding="utf-8")):
            codes.setdefault(code, f"{status}: {title}." if status.isdigit() else f"{title}.")
    return codes


def exit_statuses():
    text = (COMMAND_LINE / "Output" / "ExitStatus.swift").read_text(encoding="utf-8")
    return re.findall(r"/// (.+)\n    static let \w+ = ExitStatus\(rawValue: (\d+)\)", text)


def codes_page():
    parts, anchors = [], []
    for group in data("codes.yaml"):
        source = ROOT / group["source"]
        causes = declared_problems(source) if group.get("problems") else declared_codes(source)
        # Codes that the source puts together.
        causes.update(group.get("composed", {}))
        compare(f"Scripts/site/codes.yaml, '{group['title']}',", set(group["codes"]), set(causes))
        prefix = re.sub(r"\W+", "-", group["title"].lower())
        rows = []
        for code, cause in causes.items():
            remedy = group["codes"][code]
            rows.append(
                f'<tr id="{prefix}-{code}"><td><code>{code}</code><td>{marked(cause)}<td>{marked(remedy)}</tr>')
            anchors.append((f"{prefix}-{code}", f"{code} ({group['title']})", f"{cause} {remedy}"))
        parts.append(
            f'<h2 id="{prefix}">{escape(group["title"])}</h2><p>{marked(group["about"])}</p><div class="scroll"><table>'
            f'<tr><th>code<th>cause<th>remedy</tr>{"".join(rows)}</table></div>')
    rows = "".join(f"<tr><td>{number}<td>{escape(text)}</tr>" for text, number in exit_statuses())
    body = f"""<h1>Diagnostics and errors</h1>
<p>Every code, its cause and its remedy. Programs switch on codes; messages may change. An error of the program is one line:
<code>storekeeper: error: WHAT (WHERE): WHAT TO DO</code>.</p>
<h2 id="exit-status">Exit status</h2><div class="scroll"><table><tr><th>status<th>meaning</tr>{rows}</table></div>
{"".join(parts)}"""
    return Page("reference/codes.html", "Diagnostics and errors", body, "Reference",
                "Every diagnostic and error code, with its cause and remedy.", anchors=anchors)
