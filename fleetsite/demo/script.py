"""Who asks what, and when: invented, endless, and the same for the same seed."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, cycle
from random import Random
from typing import Any

Message = dict[str, str]

TALKED_WITH = ("qwen3-coder:30b", "llama3.3:70b", "qwen2.5:7b", "gemma3:27b", "gemma3:4b")  # the first is never cold
EMBEDS = "nomic-embed-text"
RUSHED_FOR = ("qwen3-coder:30b", "llama3.3:70b")
RUSH_FIRST, RUSH_EVERY, RUSH_SIZE, RUSH_TOKENS = 8.0, 45.0, 18, (150, 250)  # seconds, seconds, requests, tokens
THINKING, TURNS, TURN_TOKENS = (6.0, 12.0), (3, 7), (60, 140)  # seconds, turns of a conversation, tokens
LONG_PROMPT = 60  # sentences
IMPATIENT = 1.5  # seconds

SUBJECTS = ("the invoice parser", "our garden", "a proof by induction", "the week's menu", "chapter four", "the deploy")
WISHES = ("Summarise {}.", "What is wrong with {}?", "Rewrite {} in plain words.", "Give me a plan for {}.", "Test {}.")


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, and how many seconds its client waits for the answer."""

    path: str
    body: Mapping[str, Any]
    session: str = ""
    patience: float = 120.0


@dataclass(frozen=True, slots=True)
class Cue:
    """At so many seconds from the start, this is asked."""

    at: float
    ask: Ask


def script(seed: int, models: Sequence[str], people: int = 6) -> Iterator[Cue]:
    """The cues in order, without end; conversations and rushes are about `models` alone."""
    talked_with = [model for model in TALKED_WITH if model in models]
    rushed_for = [model for model in RUSHED_FOR if model in models]
    voices = [_conversations(f"person-{n}", talked_with[n % len(talked_with)], n, seed) for n in range(people)]
    voices += [_rushes(rushed_for, seed), _embeddings(seed), _oddities(seed)]
    return heapq.merge(*voices, key=lambda cue: cue.at)


def _conversations(person: str, model: str, number: int, seed: int) -> Iterator[Cue]:
    """One person, who talks, thinks, talks on, and begins anew; half of them speak OpenAI's dialect."""
    dice, at = Random(f"{seed} {person}"), 0.8 * number
    for talk in count():
        messages: list[Message] = []
        for _ in range(dice.randint(*TURNS)):
            messages = [*messages, {"role": "user", "content": _question(dice)}]
            yield Cue(
                at, _turn(model, messages, dice.randint(*TURN_TOKENS), f"{person}-{talk}", openai=number % 2 == 1)
            )
            messages = [*messages, {"role": "assistant", "content": _question(dice) * 3}]
            at += dice.uniform(*THINKING)


def _rushes(models: Sequence[str], seed: int) -> Iterator[Cue]:
    """Many at once want the same model: a queue that pre-warm and rebalance must relieve."""
    dice = Random(f"{seed} rush")
    for number, model in enumerate(cycle(models)):
        for place in range(RUSH_SIZE):
            options = {"num_predict": dice.randint(*RUSH_TOKENS)}
            ask = Ask("/api/generate", {"model": model, "prompt": _question(dice), "options": options})
            yield Cue(RUSH_FIRST + RUSH_EVERY * number + 0.08 * place, ask)


def _embeddings(seed: int) -> Iterator[Cue]:
    dice, at = Random(f"{seed} embeddings"), 2.0
    for path in cycle(("/api/embed", "/v1/embeddings")):
        at += dice.uniform(1.5, 4.0)
        yield Cue(at, Ask(path, {"model": EMBEDS, "input": [_question(dice) for _ in range(dice.randint(1, 8))]}))


def _oddities(seed: int) -> Iterator[Cue]:
    """What happens now and then, one after another."""
    dice, at = Random(f"{seed} oddities"), 5.0
    for ask in cycle(ODDITIES):
        yield Cue(at, ask)
        at += dice.uniform(7.0, 11.0)


def _turn(model: str, messages: list[Message], tokens: int, session: str, openai: bool) -> Ask:
    body: dict[str, Any] = {"model": model, "messages": messages, "stream": True}
    if openai:
        return Ask("/v1/chat/completions", body | {"max_tokens": tokens}, session)
    return Ask("/api/chat", body | {"options": {"num_predict": tokens}}, session)


def _question(dice: Random) -> str:
    return dice.choice(WISHES).format(dice.choice(SUBJECTS)) + " "


def _chat(model: str, text: str = "Hello", **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": text}], **more}


ODDITIES = (
    Ask("/api/chat", _chat("mistral-large:123b", fallback_models=["gemma3:27b", "qwen2.5:7b"])),
    Ask("/api/chat", _chat("llama5:1t")),  # nobody has it
    Ask("/api/chat", _chat("gemma3:27b", "Summarise this. " * LONG_PROMPT)),
    Ask("/v1/chat/completions", _chat("deepseek-r1:671b"), patience=20.0),  # too large for every machine
    Ask("/api/chat", _chat("qwen2.5:7b", options={"num_predict": 400}), patience=IMPATIENT),
    Ask("/v1/chat/completions", _chat("gemma3:27b", fallback_models=["qwen3-coder:30b"], max_tokens=60)),
)
