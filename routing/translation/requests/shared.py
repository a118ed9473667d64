"""What several dialects say in the same words."""

from collections.abc import Iterator, Mapping
from typing import Any

from routing.protocols.fields import objects, take
from routing.translation.chat import AUTO, REQUIRED, Form, Part, Text
from routing.translation.sifting import image_at, refused

NUMBER = (int, float)
EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high"}  # anything above high is high


def choice_of(content: Mapping[str, Any]) -> tuple[str, str]:
    """`tool_choice` as a word and, with `required`, the one tool that it names."""
    choice = take(content, "tool_choice", (str, dict), AUTO)
    if isinstance(choice, str):
        return choice, ""
    function = take(choice, "function", dict, choice)
    return (REQUIRED, take(function, "name", str, "")) if function.get("name") else (AUTO, "")


def effort_of(effort: str) -> tuple[bool | None, str]:
    """OpenAI's reasoning effort as: think or not, and how hard."""
    if not effort:
        return None, ""
    return (False, "") if effort == "none" else (True, EFFORTS.get(effort, "high"))


def form_of(form: Mapping[str, Any], where: str) -> Form | None:
    """The form of an answer, from OpenAI's word for it."""
    kind = take(form, "type", str, "text")
    if kind == "json_object":
        return Form()
    if kind == "json_schema":
        told = take(form, "json_schema", dict, form)
        name, strict = take(told, "name", str, "answer"), take(told, "strict", bool, None)
        return Form(take(told, "schema", dict, {}), name, strict)
    if kind != "text":
        raise refused(where, "it is text, json_object or json_schema")
    return None


def parts_of(message: Mapping[str, Any], where: str) -> Iterator[Part]:
    """The words and pictures of a content, text or list."""
    content = take(message, "content", (str, list), "")
    if isinstance(content, str):
        yield from (Text(content),) if content else ()
        return
    for part in objects(message, "content"):
        yield part_of(part, where)


def part_of(part: Mapping[str, Any], where: str) -> Part:
    """One part of a content, in either of OpenAI's forms."""
    kind = part.get("type")
    if kind in ("text", "input_text", "output_text", "refusal"):
        return Text(take(part, "refusal" if kind == "refusal" else "text", str, ""))
    if kind in ("image_url", "input_image"):
        told = take(part, "image_url", (str, dict), "")
        url = told if isinstance(told, str) else take(told, "url", str, "")
        if not url:
            raise refused(where, "an image without its data; send it as data:image/…;base64,…")
        return image_at(url, where)
    raise refused(where, f"a part of type {kind!r} can't be carried to the engine of this model; send text or images")
