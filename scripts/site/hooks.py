"""Makes the documentation's site of the pages as they stand in the repository.

Pages outside docs/ join the site, links between pages follow, and a link to any other file of the repository leads to a
copy of it. The reference of the HTTP API is written from openapi.json, llms.txt from docs/README.md. Its sections are the
navigation, so that a page is listed once.
"""

import json
import os
import pathlib
import posixpath
import re
import subprocess

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPENAPI = ROOT / "Services/Gateway/Resources/openapi.json"
CONTENTS = "docs/README.md"
# A link in the text, an image, or the target of a reference. Code is passed over.
LINK = re.compile(r"```.*?```|`[^`\n]*`|(?P<text>\]\()(?P<target>[^)\s]+)(?=\))", re.DOTALL)
# Pages that are no documentation: data of tests, and notes beside other people's files.
LEFT_OUT = ("Tests/ChaosTests/", "Tests/Samples/", "Services/Gateway/Console/vendor/")

# The page of each file in the repository.
pages: dict[str, str] = {}


def page_of(path):
    """The page's place in the site: `Services/Catalog/README.md` is `services/catalog.md`."""
    if path == "README.md":
        return "index.md"
    if path == CONTENTS:
        return "contents.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if "/" not in path:
        return f"project/{path.lower()}"
    return re.sub(r"/readme\.md$", ".md", path.lower())


def tracked(*patterns):
    return subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


def sections():
    """The sections of docs/README.md, each with the pages that its list links, and the item's text."""
    title, found = None, {}
    for item in re.split(r"\n(?=- |## )", (ROOT / CONTENTS).read_text()):
        if item.startswith("## "):
            title = item.removeprefix("## ").split("\n")[0]
            found[title] = []
        elif title and item.startswith("- "):
            text = " ".join(item.removeprefix("- ").split())
            for _, target in re.findall(r"\[([^\]]*)\]\(([^)#]+)\)", text):
                path = posixpath.normpath(posixpath.join("docs", target))
                found[title].append((path, re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)))
    return found


def on_config(config):
    pages.clear()
    pages.update({path: page_of(path) for path in tracked("*.md") if not path.startswith(LEFT_OUT)})
    config.nav = [{"Storebus": ["index.md", "contents.md"]}]
    listed = set()
    for title, entries in sections().items():
        names = [pages[path] for path, _ in entries if path in pages and pages[path] not in listed]
        listed.update(names)
        config.nav.append({title: list(dict.fromkeys(names))})
    config.nav.append({"HTTP API": ["api/index.md"] + [f"api/{tag}.md" for tag in tags()] + ["api/types.md"]})
    if os.environ.get("SWIFT_REFERENCE"):
        names = ("StoreKitClient", "StoreKitTestClient")
        config.nav.append({"Swift": [{name: f"/swift/documentation/{name.lower()}/index.html"} for name in names]})
    return config


def on_files(files, config):
    for file in list(files):
        if file.src_uri == "README.md":
            files.remove(file)
    known = {file.src_uri for file in files}
    linked = set()
    for path, page in pages.items():
        text = (ROOT / path).read_text()
        if page not in known:
            files.append(File.generated(config, page, content=text))
        links = (match["target"] for match in LINK.finditer(text) if match["target"])
        linked.update(target for target in (target_of(link, path)[0] for link in links) if target)
    for path in sorted(linked - set(pages)):
        if (ROOT / path).is_dir():
            files.append(File.generated(config, place(path), content=listing(path)))
            linked.update(name for name in tracked(f"{path}/*") if "/" not in name.removeprefix(f"{path}/"))
    for path in sorted(linked - set(pages)):
        if (ROOT / path).is_file() and not path.startswith("docs/"):
            files.append(File.generated(config, place(path), content=(ROOT / path).read_bytes()))
    for name, content in api():
        files.append(File.generated(config, name, content=content))
    files.append(File.generated(config, "llms.txt", content=llms()))
    return files


def place(path):
    """The place of a file that is no page. Sources are text, so that a browser shows them."""
    if (ROOT / path).is_dir():
        return f"source/{path}/index.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"source/{path}" + ("" if pathlib.Path(path).suffix in (".png", ".svg") else ".txt")


def listing(path):
    names = [name for name in tracked(f"{path}/*") if "/" not in name.removeprefix(f"{path}/")]
    start = posixpath.dirname(place(path))
    return f"# {path}\n\n" + "".join(
        f"- [{posixpath.basename(name)}]({posixpath.relpath(pages.get(name) or place(name), start)})\n" for name in names)


def target_of(link, path):
    """The file or folder that a link of a page names, and what follows its name. None for other links."""
    target, mark, anchor = link.partition("#")
    if not target or re.match(r"[a-z]+:", target):
        return None, mark + anchor
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target)), mark + anchor


def on_page_markdown(markdown, page, config, files):
    path = next((path for path, name in pages.items() if name == page.file.src_uri), None)
    if path is None:
        return markdown
    start = posixpath.dirname(page.file.src_uri)

    def moved(match):
        if not match["target"]:
            return match[0]
        target, rest = target_of(match["target"], path)
        if target is None:
            return match[0]
        if not (ROOT / target).exists():
            raise SystemExit(f"{path}: {match['target']} names nothing in the repository")
        return "](" + posixpath.relpath(pages.get(target) or place(target), start or ".") + rest

    return LINK.sub(moved, markdown)


def llms():
    """What https://llmstxt.org describes: each page with a line about it."""
    lines = ["# Storebus", "", "> A self-hosted store in the shape of StoreKit, as Swift services on a message bus.", ""]
    for section, entries in sections().items():
        lines += [f"## {section}", ""]
        for path, text in dict(entries).items():
            if path in pages:
                title = (ROOT / path).read_text().split("\n", 1)[0].removeprefix("# ")
                about = text.partition(": ")[2] or text
                lines.append(f"- [{title}]({pages[path].removesuffix('.md')}.html): {about}")
        lines.append("")
    lines += ["## HTTP API", "", "- [openapi.json](openapi.json): the whole API", ""]
    return "\n".join(lines)


# The HTTP API


def document():
    return json.loads(OPENAPI.read_text())


def tags():
    return [tag["name"] for tag in document()["tags"]]


def kind(schema):
    """A schema in a few words: `string`, `list of Product`, `Money or null`."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](types.md#{name.lower()})"
    if "allOf" in schema:
        codes = [one["properties"]["code"] for one in schema["allOf"] if "code" in one.get("properties", {})]
        named = [one for one in schema["allOf"] if "$ref" in one or "type" in one]
        return " with ".join(dict.fromkeys(kind(one) for one in named)) + "".join(f": {kind(one)}" for one in codes)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(kind(one) for one in schema[key]))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " ".join("null" if value is None else f"`{value}`" for value in schema["enum"])
    found = schema.get("type", "any")
    words = [
        f"list of {kind(schema.get('items', {}))}" if one == "array"
        else f"object of {kind(schema['additionalProperties'])}"
        if one == "object" and isinstance(schema.get("additionalProperties"), dict)
        else schema.get("format", one) if one == "string" else one
        for one in (found if isinstance(found, list) else [found])]
    return " or ".join(words)


def cell(text):
    return " ".join(str(text or "").split()).replace("|", "\\|")


def members(schema):
    """A table of an object's members. Those of objects inside follow with a dotted name."""
    rows = []

    def add(schema, prefix):
        for one in schema.get("allOf", []):
            add(one, prefix)
        for name, value in schema.get("properties", {}).items():
            needed = "yes" if name in schema.get("required", []) else ""
            rows.append(f"| `{prefix}{name}` | {cell(kind(value))} | {needed} | {cell(value.get('description'))} |")
            inside = value.get("items", value)
            add(inside, f"{prefix}{name}{'[]' if 'items' in value else ''}.")

    add(schema, "")
    return ["| member | type | required | about |", "|---|---|---|---|", *rows, ""] if rows else []


def content(holder):
    """The types of a body's forms."""
    return ", ".join(
        f"{kind(form.get('schema', {}))} (`{name}`)" for name, form in (holder.get("content") or {}).items())


def operation(method, path, value, document):
    def resolved(one):
        return document["components"][one["$ref"].split("/")[2]][one["$ref"].split("/")[3]] if "$ref" in one else one

    lines = [f"## {value['summary']}", "", f"`{method.upper()} {path}` · `{value['operationId']}`", ""]
    lines += [value.get("description", ""), ""]
    access = " or ".join(name for one in value.get("security", []) for name in one)
    lines += [f"Access: {access or 'everybody'}", ""]
    parameters = [resolved(one) for one in value.get("parameters", [])]
    if parameters:
        lines += ["| parameter | in | type | required | about |", "|---|---|---|---|---|"]
        for one in parameters:
            needed = "yes" if one.get("required") else ""
            lines.append(
                f"| `{one['name']}` | {one['in']} | {cell(kind(one.get('schema', {})))} | {needed} | "
                f"{cell(one.get('description'))} |")
        lines.append("")
    if "requestBody" in value:
        body = resolved(value["requestBody"])
        lines += [f"Body: {content(body)}", ""]
        for form in body["content"].values():
            lines += members(form.get("schema", {}))
    lines += ["| status | body | about |", "|---|---|---|"]
    for status, one in value["responses"].items():
        one = resolved(one)
        lines.append(f"| {status} | {cell(content(one))} | {cell(one.get('description'))} |")
    return lines + [""]


def api():
    """The pages of the API: one a tag, one of the types, and the list of all."""
    whole = document()
    overview = ["# HTTP API", "", whole["info"]["description"], "", "The document: [openapi.json](../openapi.json).", ""]
    for tag in whole["tags"]:
        name = tag["name"]
        lines = [f"# {name}", "", tag.get("description", ""), ""]
        overview += [f"## {name}", "", tag.get("description", ""), "", "| operation | |", "|---|---|"]
        for path, methods in whole["paths"].items():
            for method, value in methods.items():
                if isinstance(value, dict) and name in value.get("tags", []):
                    lines += operation(method, path, value, whole)
                    overview.append(f"| [{value['summary']}]({name}.md) | `{method.upper()} {path}` |")
        overview.append("")
        yield f"api/{name}.md", "\n".join(lines)
    types = ["# Types", ""]
    for name, schema in sorted(whole["components"]["schemas"].items()):
        types += [f"## {name}", "", schema.get("description", ""), ""]
        types += members(schema) or [kind(schema), ""]
    yield "api/index.md", "\n".join(overview)
    yield "api/types.md", "\n".join(types)
    yield "openapi.json", OPENAPI.read_text()
