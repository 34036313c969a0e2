"""The JSON schemas of episodes, outcomes and inspections, generated from the dataclasses.

`python -m cudaperf_magic.records_schema` writes them to `cudaperf_magic/schema/`; a test says that they are current.
"""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from cudaperf_magic.records import Episode, Outcome
from cudaperf_magic.records_inspection import Inspection
from cudaperf_magic.records_json import VERSION, JsonObject, derived, field_types, optional

FOLDER = Path(__file__).parent / "schema"
PUBLISHED: tuple[type, ...] = (Episode, Outcome, Inspection)
SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema(cls: type) -> JsonObject:
    """The JSON schema (draft 2020-12) of what `records_json.dumps` writes for a record of this class."""
    definitions: dict[str, JsonObject] = {}
    _describe(cls, definitions)
    top = definitions.pop(cls.__name__)
    envelope = {"record": {"const": cls.__name__.lower()}, "version": {"const": VERSION}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"cudaperf-magic {cls.__name__.lower()}",
        **top,
        "properties": envelope | top["properties"],
        "required": [*envelope, *top["required"]],
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text(cls: type) -> str:
    return json.dumps(schema(cls), indent=2) + "\n"


def schema_path(cls: type) -> Path:
    return FOLDER / f"{cls.__name__.lower()}.schema.json"


def write_schemas() -> None:
    FOLDER.mkdir(exist_ok=True)
    for cls in PUBLISHED:
        schema_path(cls).write_text(schema_text(cls))


def _describe(hint: Any, definitions: dict[str, JsonObject]) -> JsonObject:
    inner = optional(hint)
    if inner is not None:
        return {"anyOf": [_describe(inner, definitions), {"type": "null"}]}
    if is_dataclass(hint) and isinstance(hint, type):
        return _describe_record(hint, definitions)
    if get_origin(hint) is tuple:
        items = get_args(hint)
        if len(items) == 2 and items[1] is Ellipsis:
            return {"type": "array", "items": _describe(items[0], definitions)}
        each = [_describe(item, definitions) for item in items]
        return {"type": "array", "prefixItems": each, "minItems": len(each), "maxItems": len(each)}
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    return {"type": SCALARS[hint]}


def _describe_record(cls: type, definitions: dict[str, JsonObject]) -> JsonObject:
    if cls.__name__ not in definitions:
        definitions[cls.__name__] = {}  # stands in while the fields are walked
        hints = field_types(cls) | {name: hint for name, (hint, _) in derived(cls).items()}
        description = (cls.__doc__ or "").strip().splitlines()[0] if not _is_signature(cls) else ""
        definitions[cls.__name__] = {
            "type": "object",
            **({"description": description} if description else {}),
            "properties": {name: _describe(hint, definitions) for name, hint in hints.items()},
            "required": list(hints),
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{cls.__name__}"}


def _is_signature(cls: type) -> bool:
    """A dataclass without a docstring gets its signature as one, which describes nothing."""
    return (cls.__doc__ or "").startswith(f"{cls.__name__}(")


if __name__ == "__main__":
    write_schemas()
