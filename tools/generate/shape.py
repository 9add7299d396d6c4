"""Shape the specification's JSON Schemas into one schema of models: `shape.py <spec dir> <out file>`.

Every language's generator reads the result, so that names, required members and tolerance are the same everywhere.
The steps, in order, each for one reason:

1. merge     One `Tool` reads every revision: the newest definition, plus members and definitions only older
             revisions have. A member is required only if every revision that has the type requires it.
2. prune     Definitions that exist for the schema's own sake (unions of all messages, `extends` bases) go.
3. simplify  Limits and formats go (the engine checks them; a model must not lose a result over one), open objects
             become `JSONObject`, the `_meta` shapes become `MetaObject` (vendor keys must survive).
4. hoist     Inline objects, enumerations and unions get a name: parent + member. No generator invents one.
5. open      Enumerations and unions are marked open: a value or kind of a later revision is kept, not fatal.

Marks the language steps read: `x-open-enum`, `x-union`, `x-one-or-many`, `x-tag` (a constant member every instance
writes, so it is no attribute to fill in), `x-written` (members written even when they hold their default).
"""

import copy
import json
import re
import sys
from pathlib import Path

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

# Unions of whole messages, which the engine tells apart, and bases which only the TypeScript source inherits from.
PRUNED = {
    "Annotated", "BaseMetadata", "CacheableResult", "ClientNotification", "ClientRequest", "ClientResult", "Cursor",
    "Icons", "InputResponseRequestParams", "JSONRPCBatchRequest", "JSONRPCBatchResponse", "JSONRPCError",
    "JSONRPCMessage", "JSONRPCResponse", "Notification", "PaginatedRequest", "PaginatedResult", "Request",
    "ResourceReference", "ResourceRequestParams", "Result", "ResultType", "ServerNotification", "ServerRequest",
    "ServerResult", "SingleSelectEnumSchema", "MultiSelectEnumSchema", "EnumSchema", "TaskAugmentedRequestParams",
    "GetTaskPayloadResult",
}
# Spec names that would shadow a name of the language itself in user code.
RENAMED = {"Error": "ErrorObject"}
# Types with a hand-written form in each language.
BUILT_IN = {"JSONObject", "JSONValue", "JSONArray", "MetaObject", "RequestId", "ProgressToken", "JSONRPCVersion"}
# Members some peers leave out although every revision asks for them (cases N41, F06): read as this, always written.
FORGIVEN = {("CallToolResult", "content"): [], ("Tool", "inputSchema"): {"type": "object"}}
# Hoisted members that deserve one name wherever they occur.
SHARED = {"cacheScope": "CacheScope", "anyOf": "EnumOption", "oneOf": "EnumOption"}
LIMITS = {"format", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "default"}
VARIANT_SUFFIX = re.compile(r"(Content|Contents|Schema|Request|Result|Reference|Params)$")


def ref(name):
    return {"$ref": f"#/$defs/{name}"}


def target(schema):
    return schema["$ref"].rsplit("/", 1)[1] if "$ref" in schema else None


def load(spec):
    revisions = []
    for revision in REVISIONS:
        schema = json.loads((spec / f"{revision}.json").read_text())
        revisions.append(schema.get("$defs") or schema["definitions"])
    return revisions


def flatten(schema, defs):
    """`allOf` as one object: no language here has structural intersection."""
    if "allOf" not in schema:
        return schema
    flat = {"type": "object", "properties": {}, "required": []}
    for part in schema["allOf"]:
        part = flatten(defs[target(part)] if "$ref" in part else part, defs)
        flat["properties"].update(part.get("properties", {}))
        flat["required"] += [m for m in part.get("required", []) if m not in flat["required"]]
    return {**flat, **({"description": schema["description"]} if "description" in schema else {})}


def flatten_members(schema, defs):
    schema = flatten(schema, defs)
    members = {name: flatten(member, defs) for name, member in schema.get("properties", {}).items()}
    return {**schema, "properties": members} if members else schema


def merge(revisions):
    merged = {}
    for defs in revisions:
        for name, schema in defs.items():
            schema = flatten_members(copy.deepcopy(schema), defs)
            older = merged.get(name, {})
            if "properties" in schema and "properties" in older:
                schema["properties"] = {**older["properties"], **schema["properties"]}
                always = {"jsonrpc", "id", *older.get("required", [])}
                schema["required"] = [member for member in schema.get("required", []) if member in always]
            elif "enum" in schema and "enum" in older:
                schema["enum"] = sorted({*older["enum"], *schema["enum"]})
            merged[name] = schema
    return merged


def prune(defs):
    defs["EmptyResult"] = {**defs["Result"], "required": []}
    defs["ResourceContents"] = {
        "description": defs["ResourceContents"]["description"],
        "anyOf": [ref("TextResourceContents"), ref("BlobResourceContents")],
    }
    # The constant is in the text of the specification but not in its schema; it is what tells the two results apart.
    defs["InputRequiredResult"]["properties"]["resultType"] = {"type": "string", "const": "input_required"}
    # Without names it is an untitled selection, so inside a union the names are what makes it this kind.
    defs["LegacyTitledEnumSchema"]["required"] = ["enum", "enumNames", "type"]
    return {RENAMED.get(k, k): v for k, v in defs.items() if k not in PRUNED and k not in BUILT_IN}


def is_open_object(schema):
    members = set(schema.get("properties", {})) - {"$schema", "type"}
    return schema.get("type") == "object" and not members


def simplify(schema):
    """One schema position, recursively; member names are never mistaken for keywords."""
    schema = {k: v for k, v in schema.items() if k not in LIMITS and k != "$comment"}
    described = {"description": schema["description"]} if "description" in schema else {}
    name = target(schema)
    if name:
        if name.endswith("MetaObject"):
            name = "MetaObject"
        if name in ("Cursor", "ResultType"):
            return {**described, "type": "string"}
        if name == "Result":
            name = "JSONObject"
        if name == "JSONValue":
            return described
        return {**described, **ref(RENAMED.get(name, name))}
    kind = schema.get("type")
    if kind == "integer" and "const" in schema:
        return {**described, "type": "integer"}
    if isinstance(kind, list) and "null" not in kind:
        # The schema writer turned every TypeScript `number` beside other types into `integer`: any JSON scalar it is.
        return described
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict) and "properties" not in schema:
        value = simplify(schema["additionalProperties"])
        if target(value) in (None, "JSONObject") and value.get("type") != "string":
            # Values of any shape: capabilities, arguments, answers.
            return {**described, **ref("JSONObject")}
        return {**described, "type": "object", "additionalProperties": value}
    if is_open_object(schema):
        return {**described, **ref("JSONObject")}
    if "anyOf" in schema:
        return {**described, "anyOf": [simplify(part) for part in schema["anyOf"]]}
    if kind == "array":
        return {**schema, "items": simplify(schema["items"])}
    if kind == "object":
        schema.pop("additionalProperties", None)
        schema["properties"] = {k: simplify_member(k, v) for k, v in schema["properties"].items()}
    return schema


def simplify_member(name, schema):
    if name == "_meta":
        return {k: v for k, v in schema.items() if k == "description"} | ref("MetaObject")
    if name == "jsonrpc":
        return ref("JSONRPCVersion")
    return simplify(schema)


def pascal(name):
    name = name.lstrip("$_")
    return name[:1].upper() + name[1:]


class Hoist:
    """Names inline objects, enumerations and unions; equal unions share the name of the first."""

    def __init__(self, defs):
        self.defs = defs
        self.lists = {"SamplingMessageContentBlock": "SamplingMessageContent"}
        self.unions = {frozenset(map(target, s["anyOf"])): n for n, s in defs.items() if "anyOf" in s}

    def run(self):
        for name in list(self.defs):
            schema = self.defs[name]
            if "properties" in schema:
                self.members(name, schema)
            elif schema.get("type") == "object":
                schema["additionalProperties"] = self.place(f"{name}Value", schema["additionalProperties"])

    def members(self, name, schema):
        for member, value in schema["properties"].items():
            schema["properties"][member] = self.place(SHARED.get(member, name + pascal(member)), value)

    def place(self, name, schema):
        described = {"description": schema["description"]} if "description" in schema else {}
        if schema.get("type") == "array":
            return {**schema, "items": self.place(name, schema["items"])}
        if schema.get("type") == "object" and "additionalProperties" in schema:
            return {**schema, "additionalProperties": self.place(f"{name}Value", schema["additionalProperties"])}
        if "anyOf" in schema:
            return {**described, **ref(self.union(name, schema))}
        if "properties" in schema or len(schema.get("enum", [])) > 1:
            self.defs[name] = schema
            if "properties" in schema:
                self.members(name, schema)
            return {**described, **ref(name)}
        return schema

    def union(self, name, schema):
        lists = [part for part in schema["anyOf"] if part.get("type") == "array"]
        if lists:
            item = target(lists[0]["items"])
            name = self.lists.setdefault(item, name)
            self.defs[name] = {"x-one-or-many": item}
            return name
        variants = frozenset(map(target, schema["anyOf"]))
        if variants not in self.unions:
            self.unions[variants] = name
            self.defs[name] = schema
        return self.unions[variants]


def constants(schema):
    """Members with one fixed value: {name: (values, required)}."""
    found = {}
    for name, member in schema.get("properties", {}).items():
        if isinstance(member.get("const"), str):
            found[name] = ([member["const"]], name in schema.get("required", []))
    return found


def variant_names(union, types):
    words = [re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*", t) for t in types]
    prefix = 0
    while all(len(w) > prefix + 1 and w[prefix] == words[0][prefix] for w in words):
        prefix += 1
    names = []
    for kind, parts in zip(types, words):
        short = "".join(parts[prefix:])
        short = short[: -len(union)] if short.endswith(union) else VARIANT_SUFFIX.sub("", short)
        names.append(short.capitalize() if short.isupper() else short or kind)
    return names


def mark_union(name, schema, defs):
    types = [target(part) for part in schema["anyOf"]]
    fixed = {}
    for kind in types:
        fixed[kind] = constants(defs[kind])
        for member, value in defs[kind].get("properties", {}).items():
            values = defs.get(target(value) or "", {}).get("enum")
            if values and member == "type":
                fixed[kind][member] = (values, True)
    tags = {member for kind in types for member in fixed[kind]}
    tag = next((m for m in ("type", "method", "mode", "resultType") if m in tags), None)
    variants = []
    for short, kind in zip(variant_names(name, types), types):
        values, required = fixed[kind].get(tag, ([], False))
        variants.append({"name": short, "type": kind, "values": values, "absent": not required})
    # Among kinds with the same tag the one that asks for more members is tried first: a looser one would swallow it.
    told_apart = len({tuple(v["values"]) for v in variants}) == len(variants)
    if not told_apart:
        variants.sort(key=lambda v: -len(defs[v["type"]].get("required", [])))
    schema["x-union"] = {"tag": tag, "variants": variants}


def open_up(defs):
    for name, schema in defs.items():
        if "enum" in schema:
            schema["x-open-enum"] = True
        if "anyOf" in schema:
            mark_union(name, schema, defs)
    for name, schema in defs.items():
        required = [m for m in schema.get("required", []) if m not in ("_meta", "resultType")]
        for member, (values, always) in constants(schema).items():
            if always and "x-tag" not in schema:
                schema["x-tag"] = {"member": member, "value": values[0]}
                del schema["properties"][member]
                required = [m for m in required if m != member]
            else:
                del schema["properties"][member]["const"]
        for (kind, member), value in FORGIVEN.items():
            if kind == name:
                schema.setdefault("x-written", {})[member] = value
                required = [m for m in required if m != member]
                schema["properties"][member]["default"] = value
        if "properties" in schema:
            schema["required"] = required
    return defs


def describe(schema, names):
    """Descriptions in plain Markdown: the TypeScript source's `{@link X}` and the site's own paths mean nothing here."""
    def link(match):
        name = next((name for name in names if match[1].startswith(name)), match[1])
        # The schema writer lost the bar between a link's target and its label.
        label = match[1][len(name):]
        return f"`{label}` (`{name}`)" if label and not label.startswith(".") else f"`{match[1]}`"

    if isinstance(schema, list):
        return [describe(part, names) for part in schema]
    if not isinstance(schema, dict):
        return schema
    shaped = {key: describe(value, names) for key, value in schema.items()}
    text = shaped.get("description")
    if isinstance(text, str):
        text = re.sub(r"\{@link ([^}]+)\}", link, text)
        shaped["description"] = text.replace("](/", "](https://modelcontextprotocol.io/").strip()
    return shaped


def main(spec, out):
    defs = prune(merge(load(Path(spec))))
    defs = {name: simplify(schema) for name, schema in defs.items() if not name.endswith("MetaObject")}
    Hoist(defs).run()
    defs = describe(open_up(defs), sorted(defs, key=len, reverse=True))
    shaped = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": dict(sorted(defs.items()))}
    Path(out).write_text(json.dumps(shaped, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
