"""Checks that every example of an OpenAPI document fits the schema next to it.

    python examples.py openapi.json
"""

import json
import sys

from jsonschema import Draft202012Validator


def examples(node, path="#"):
    """Each `(place, schema, value)` below `node`."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from examples(item, f"{path}/{index}")
    elif isinstance(node, dict):
        schema = node.get("schema")
        if isinstance(schema, dict):
            if "example" in node:
                yield f"{path}/example", schema, node["example"]
            for name, example in node.get("examples", {}).items():
                yield f"{path}/examples/{name}", schema, example["value"]
        elif isinstance(node.get("examples"), list):
            for index, value in enumerate(node["examples"]):
                yield f"{path}/examples/{index}", {k: v for k, v in node.items() if k != "examples"}, value
        for name, item in node.items():
            if name not in ("example", "examples"):
                yield from examples(item, f"{path}/{name.replace('/', '~1')}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    count = bad = 0
    for place, schema, value in examples(document):
        count += 1
        validator = Draft202012Validator({**schema, "components": document["components"]})
        for error in validator.iter_errors(value):
            bad += 1
            print(f"{place}: {error.json_path}: {error.message}")
    print(f"examples: {count} checked, {bad} wrong")
    sys.exit(1 if bad or not count else 0)


main()
