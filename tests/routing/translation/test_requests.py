"""What is asked in any dialect reaches either engine as the same request."""

from typing import Any

import orjson
import pytest

from routing.translation import DIALECTS, TARGETS
from tests.routing.translation.asked import CASES, CLAUDE, SCENES


def sent(engine: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The body that this engine gets for that one."""
    out = TARGETS[engine].render(DIALECTS[path].decode({"model": "m", **body}))
    assert out.dropped == ()
    content: dict[str, Any] = orjson.loads(out.body)
    return content


@pytest.mark.parametrize(("scene", "path"), CASES)
def test_ollama_is_sent_what_was_asked(scene: str, path: str) -> None:
    bodies, ollama, _ = SCENES[scene]
    assert sent("ollama", path, bodies[path]) == {"model": "m", "stream": True, "think": False, **ollama}


@pytest.mark.parametrize(("scene", "path"), CASES)
def test_openai_is_sent_what_was_asked(scene: str, path: str) -> None:
    bodies, _, openai = SCENES[scene]
    silent = {"chat_template_kwargs": {"enable_thinking": False}} if path == CLAUDE else {}  # there, omission is "off"
    always = {"model": "m", "stream": True, "stream_options": {"include_usage": True}}
    assert sent("openai", path, bodies[path]) == always | silent | openai
