"""Every dialect's answers, streamed and whole, byte for byte; and what holds for all of them."""

import re

import orjson
import pytest

from routing.protocols import PROTOCOLS
from routing.translation import DIALECTS
from routing.translation.answers.encoder import Marks
from routing.translation.chat import Chat
from routing.translation.events import Broken, Ended
from routing.translation.lines import ServerSent
from tests.routing.translation.answered import TOLD
from tests.routing.translation.told import file, stream, told, whole

OPENAI, RESPONSES, CLAUDE = "/v1/chat/completions", "/v1/responses", "/v1/messages"
BOTH = sorted(set(DIALECTS) & set(PROTOCOLS))
WHOLE = [scene for scene, events in TOLD.items() if isinstance(events[-1], Ended)]
BROKEN = [scene for scene, events in TOLD.items() if isinstance(events[-1], Broken)]
# One message of Anthropic, as its clients read it: blocks open and close in turn.
BLOCK = r"content_block_start(?: ping)?(?: content_block_delta)+ content_block_stop "
MESSAGE = re.compile(rf"message_start (?:{BLOCK})*message_delta message_stop")
# One response of OpenAI: items are added, filled, done.
TEXT = r"content_part.added (?:output_text.delta )+output_text.done content_part.done "
SUMMARY = r"reasoning_summary_part.added (?:reasoning_summary_text.delta )+"
THOUGHT = SUMMARY + r"reasoning_summary_text.done reasoning_summary_part.done "
CALL = r"function_call_arguments.delta function_call_arguments.done "
ITEM = rf"output_item.added (?:{TEXT}|{THOUGHT}|{CALL})output_item.done "
RESPONSE = re.compile(rf"created in_progress (?:{ITEM})*(?:completed|incomplete)")


def types(path: str, scene: str) -> list[str]:
    """The types of a stream's events, in order."""
    return [orjson.loads(data)["type"].removeprefix("response.") for data in ServerSent().feed(stream(path, scene))]


@pytest.mark.parametrize("path", DIALECTS)
def test_the_answers_are_the_golden_ones(path: str) -> None:
    assert told(path) == file(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("scene", TOLD)
def test_a_stream_proves_its_end_as_an_engines_own_does(path: str, scene: str) -> None:
    assert PROTOCOLS[path].ending(path, True, stream(path, scene)).complete == (scene in WHOLE)


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("scene", WHOLE)
def test_a_whole_answer_proves_its_end(path: str, scene: str) -> None:
    assert PROTOCOLS[path].ending(path, False, whole(path, scene)).complete


@pytest.mark.parametrize("path", DIALECTS)
@pytest.mark.parametrize("scene", BROKEN)
def test_a_broken_answer_is_never_whole(path: str, scene: str) -> None:
    assert whole(path, scene).startswith(b"UpstreamFailed")


@pytest.mark.parametrize("scene", WHOLE)
def test_anthropics_events_are_in_order(scene: str) -> None:
    assert MESSAGE.fullmatch(" ".join(types(CLAUDE, scene)))


@pytest.mark.parametrize("scene", WHOLE)
def test_events_of_a_response_are_in_order(scene: str) -> None:
    assert RESPONSE.fullmatch(" ".join(types(RESPONSES, scene)))


@pytest.mark.parametrize("scene", TOLD)
def test_events_of_a_response_are_numbered_without_a_gap(scene: str) -> None:
    numbers = [orjson.loads(data)["sequence_number"] for data in ServerSent().feed(stream(RESPONSES, scene))]
    assert numbers == list(range(len(numbers)))


@pytest.mark.parametrize("scene", WHOLE)
def test_a_role_is_told_once(scene: str) -> None:
    assert stream(OPENAI, scene).count(b'"role"') == 1


@pytest.mark.parametrize("scene", WHOLE)
def test_no_chunk_but_the_last_is_empty(scene: str) -> None:
    assert stream(OPENAI, scene).count(b'"delta":{}') <= 1


def test_figures_are_told_only_to_who_asked() -> None:
    silent = DIALECTS[OPENAI].encoder(Chat("m", ()), Marks("1", 0.0))
    assert b"usage" not in b"".join(map(silent.event, TOLD["plain"]))


def test_a_prompt_never_weighs_nothing() -> None:
    writer = DIALECTS[CLAUDE].encoder(Chat("m", ()), Marks("1", 0.0, prompt_tokens=0))
    assert b'"input_tokens":1,' in writer.event(TOLD["plain"][0])


def test_calls_of_two_answers_have_two_ids() -> None:
    first, second = (DIALECTS[OPENAI].encoder(Chat("m", ()), Marks(id, 0.0)) for id in "12")
    call = TOLD["two calls without ids"][1]
    assert re.findall(rb"call_\w+", first.event(call)) != re.findall(rb"call_\w+", second.event(call))
