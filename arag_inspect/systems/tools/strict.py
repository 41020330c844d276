"""Schemas for strict function calling, and calls that leave parameters out nevertheless.

OpenAI accepts a schema as `strict` only if every parameter is required and none has a default.
Anthropic rejects bounds of numbers, lengths and lists. Both accept null as a choice of `anyOf`.
Inspect's provider for OpenAI-compatible servers sends every schema as strict.
"""

from collections.abc import Collection, Mapping, Sequence

from inspect_ai.tool import Tool, ToolCall, ToolDef, ToolParams
from inspect_ai.util import JSONSchema

_NULL = JSONSchema(type="null")


def strict_tool(tool: Tool, without: Collection[str] = ()) -> ToolDef:
    """Return a tool whose parameters are all required; those with a default may be null.

    Args:
        tool: Takes None for each parameter that has a default.
        without: Parameters that are not offered.
    """
    definition = ToolDef(tool)
    parameters = definition.parameters
    properties = {
        name: schema if name in parameters.required else _make_nullable(schema)
        for name, schema in parameters.properties.items()
        if name not in without
    }
    strict = ToolParams(properties=properties, required=list(properties))
    return ToolDef(tool, definition.name, definition.description, strict)


def _make_nullable(schema: JSONSchema) -> JSONSchema:
    """Return the schema of an optional parameter, without its default and with null."""
    description = schema.description or ""
    if schema.default not in (None, ""):
        description = f"{description} Null for {schema.default}.".strip()
    bare_schema = schema.model_copy(update={"default": None, "description": None})
    choices = [choice for choice in bare_schema.anyOf or [bare_schema] if choice.type != "null"]
    return JSONSchema(description=description, anyOf=[*choices, _NULL])


def complete_calls(calls: Sequence[ToolCall] | None, tools: Mapping[str, ToolDef]) -> None:
    """Set nullable parameters that a model left out, which not every server prevents."""
    for call in calls or ():
        definition = tools.get(call.function)
        if definition is None:
            continue
        for name, schema in definition.parameters.properties.items():
            if _NULL in (schema.anyOf or ()):
                call.arguments.setdefault(name, None)
