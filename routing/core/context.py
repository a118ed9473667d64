"""Context safety: a num_ctx that would load a model again, and a prompt that an engine has cut without a word."""

from routing.core.parameters import ContextPolicy
from routing.core.request import InferenceRequest

STRIP, PASSTHROUGH = "strip", "passthrough"
LONG = 1000  # estimated prompt tokens from which on a small count of the engine is suspicious
SUSPICIOUS = 0.5  # share of the estimate


def asked_context(request: InferenceRequest) -> int | None:
    """`options.num_ctx`, where the dialect has it; None if it is not there."""
    return request.context or None if request.dialect == "ollama" else None


def sent_context(asked: int | None, loaded: int | None, named: int | None, policy: ContextPolicy) -> int | None:
    """The num_ctx that goes to the engine, None for none. `named`: what we last named to it for this model.

    One that is not above the loaded context is left out: the engine keeps what it has. But an engine that was told its
    context fills in its own where none is named, and loads again: it is told the same once more.
    """
    if policy.protection != STRIP or asked is None or loaded is None or asked > loaded:
        return asked
    return loaded if named == loaded else None


def loads_again(asked: int | None, loaded: int | None, policy: ContextPolicy) -> bool:
    """Is the context that was asked for sent, though the engine has to load the model again for it?"""
    if policy.protection == PASSTHROUGH or asked is None or loaded is None:
        return False
    return asked > loaded if policy.protection == STRIP else asked != loaded


def suspicion(estimated: int, counted: int | None, context: int | None) -> str:
    """In words, if the engine counted far fewer prompt tokens than we estimate; empty if all seems well.

    A prompt that fits into the `context` it was loaded with was not cut: some engines do not count what is cached.
    """
    if counted is None or estimated <= LONG or counted >= SUSPICIOUS * estimated:
        return ""
    if context is not None and estimated <= context:
        return ""
    return f"suspected truncation: the engine counted {counted} prompt tokens, estimated were {estimated}"
