"""The descriptions of the two HTTP services, from their OpenAPI documents, as pages for people."""

import html
import re

import yaml
from layout import Page, escape


def words(text):
    """Returns the HTML of a description: paragraphs, and code in backquotes."""
    paragraphs = re.split(r"\n\s*\n", str(text or "").strip())
    return "".join("<p>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(part)) + "</p>" for part in paragraphs if part)


class Description:
    def __init__(self, text):
        self.document = yaml.safe_load(text)

    def resolved(self, item):
        """Follows a reference inside the document."""
        while isinstance(item, dict) and "$ref" in item:
            target = self.document
            for key in item["$ref"].removeprefix("#/").split("/"):
                target = target[key.replace("~1", "/").replace("~0", "~")]
            item = target
        return item

    def type(self, schema):
        """Returns the type of a schema in a few words, with links to named schemas."""
        if not isinstance(schema, dict):
            return "anything"
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return f'<a href="#schema-{escape(name)}">{escape(name)}</a>'
        for key, joint in (("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")):
            if key in schema:
                return joint.join(self.type(each) for each in schema[key])
        if "enum" in schema:
            return " | ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
        if "const" in schema:
            return f"<code>{escape(str(schema['const']))}</code>"
        kind = schema.get("type", "object" if "properties" in schema else "anything")
        if isinstance(kind, list):
            kind = " or ".join(kind)
        if kind == "array":
            return f"array of {self.type(schema.get('items', {}))}"
        limits = [
            f"{name} {schema[key]}" for key, name in (
                ("minimum", "from"), ("maximum", "to"), ("minLength", "length from"), ("maxLength", "length to"),
                ("format", "as"), ("default", "default")) if key in schema]
        extra = schema.get("additionalProperties")
        of = f" of {self.type(extra)}" if isinstance(extra, dict) and not schema.get("properties") else ""
        return f"{kind}{of}{' (' + escape(', '.join(limits)) + ')' if limits else ''}"

    def members(self, schema):
        """Returns the table of the members of a schema, if it has any."""
        if not isinstance(schema, dict):
            return ""
        if schema.get("type") == "array":
            return self.members(schema.get("items", {}))
        parts = "".join(self.members(each) for key in ("oneOf", "anyOf", "allOf") for each in schema.get(key, []))
        required = schema.get("required", [])
        rows = []
        for name, value in schema.get("properties", {}).items():
            about = value.get("description", "") if isinstance(value, dict) else ""
            nested = self.members(value) if isinstance(value, dict) and "$ref" not in value else ""
            rows.append(
                f"<tr><td><code>{escape(name)}</code><td>{'yes' if name in required else ''}<td>{self.type(value)}"
                f"<td>{words(about)}{nested}</tr>")
        if not rows:
            return parts
        return parts + ('<div class="scroll"><table><tr><th>member<th>required<th>type<th>meaning</tr>'
                        + "".join(rows) + "</table></div>")

    def contents(self, holder):
        """Returns what a body may be, by media type."""
        parts = []
        for media, value in (holder.get("content") or {}).items():
            schema = value.get("schema", {})
            nested = "" if "$ref" in schema else self.members(schema)
            parts.append(f"<p><code>{escape(media)}</code>: {self.type(schema)}</p>{nested}")
        return "".join(parts)

    def operation(self, path, method, operation, shared):
        identifier = anchor(method, path)
        parts = [
            f'<section class="member" id="{identifier}"><h3><span class="method">{method}</span> '
            f'<code class="path">{escape(path)}</code></h3>', words(operation.get("summary")),
            words(operation.get("description"))]
        if "x-scope" in operation:
            parts.append(f"<p>Scope of the key: <code>{escape(operation['x-scope'])}</code>.</p>")
        parameters = [self.resolved(each) for each in shared + operation.get("parameters", [])]
        if parameters:
            rows = "".join(
                f"<tr><td><code>{escape(each['name'])}</code><td>{escape(each['in'])}"
                f"<td>{'yes' if each.get('required') else ''}<td>{self.type(each.get('schema', {}))}"
                f"<td>{words(each.get('description'))}</tr>" for each in parameters)
            parts.append(
                '<div class="scroll"><table><tr><th>parameter<th>in<th>required<th>type<th>meaning</tr>'
                f"{rows}</table></div>")
        if "requestBody" in operation:
            parts.append(f"<h4>Body</h4>{self.contents(self.resolved(operation['requestBody']))}")
        rows = []
        for status, response in operation.get("responses", {}).items():
            response = self.resolved(response)
            rows.append(
                f"<tr><td>{escape(str(status))}<td>{words(response.get('description'))}<td>{self.contents(response)}</tr>")
        parts.append(f'<div class="scroll"><table><tr><th>status<th>meaning<th>body</tr>{"".join(rows)}</table></div>')
        return "".join(parts) + "</section>"

    def page(self, path, title, source):
        body = [f"<h1>{escape(title)}</h1>", words(self.document["info"].get("description")), source]
        anchors, index, operations = [], [], []
        for route, item in self.document["paths"].items():
            for method in ("get", "put", "post", "delete", "patch", "head", "options"):
                if method in item:
                    summary = item[method].get("summary", "")
                    anchors.append((anchor(method, route), f"{method.upper()} {route}", summary))
                    index.append(
                        f'<tr><td><a href="#{anchor(method, route)}"><code>{method.upper()} {escape(route)}</code></a>'
                        f"<td>{escape(summary)}</tr>")
                    operations.append(self.operation(route, method, item[method], item.get("parameters", [])))
        body.append(f'<div class="scroll"><table><tr><th>request<th>effect</tr>{"".join(index)}</table></div>')
        body += ["<h2>Requests</h2>", *operations]
        schemas = self.document.get("components", {}).get("schemas", {})
        if schemas:
            body.append("<h2>Schemas</h2>")
        for name, schema in schemas.items():
            body.append(
                f'<section class="member" id="schema-{escape(name)}"><h3>{escape(name)}</h3>'
                f"{words(schema.get('description'))}{self.members(schema) or f'<p>{self.type(schema)}</p>'}</section>")
            anchors.append((f"schema-{name}", name, f"schema of {title}"))
        return Page(path, title, "\n".join(body), "Reference", anchors=anchors)


def anchor(method, path):
    return f"{method}-" + re.sub(r"[^A-Za-z0-9]+", "-", html.unescape(path)).strip("-")
