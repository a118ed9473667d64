"""What goes wrong on purpose."""

from collections import deque
from dataclasses import dataclass, field

from nodes.simulated.seen import Seen


class EngineError(Exception):
    """An error that the engine answers, in whatever form the route's dialect gives it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class Torn(Exception):
    """The connection is to be cut now."""


class RunnerDied(EngineError):
    """The process behind the model is gone in the middle of an answer."""

    def __init__(self) -> None:
        super().__init__(500, "an error was encountered while running the model: unexpected EOF")


class SilentEnd(Exception):
    """The stream ends, in good form, without its terminal line."""


BREAKS: dict[str, type[Exception]] = {"torn": Torn, "error": RunnerDied, "silent": SilentEnd}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer given in place of the real one; a text is worded as the dialect words errors, bytes go as they are."""

    status: int
    body: str | bytes


@dataclass(slots=True)
class Faults:
    """The faults in force. Change them on the node's own loop (from another thread: `Running.do`)."""

    seen: Seen
    slow_load: float = 1.0  # loading takes so many times as long
    hanging: bool = False
    _always: tuple[str, int] | None = None
    _breaks: deque[tuple[str, int]] = field(default_factory=deque)
    _answers: deque[Answer] = field(default_factory=deque)

    def break_streams(self, kind: str, after: int, times: int | None = None) -> None:
        """The next `times` answers (None: all) break after so many tokens: `torn`, `error` or `silent`."""
        if kind not in BREAKS:
            raise ValueError(f"{kind!r} is no way to break: {', '.join(BREAKS)}")
        if times is None:
            self._always = (kind, after)
        self._breaks.extend([(kind, after)] * (times or 0))

    def answer(self, status: int, body: str | bytes, times: int = 1) -> None:
        """The next `times` requests for inference are answered so."""
        self._answers.extend([Answer(status, body)] * times)

    def hang(self) -> None:
        """No answer begins and no pull goes on from now on; version and lists are still answered."""
        self.hanging = True

    def heal(self) -> None:
        """No more faults: what hangs goes on."""
        self.slow_load, self.hanging, self._always = 1.0, False, None
        self._breaks.clear()
        self._answers.clear()
        self.seen.ring()

    def next_answer(self) -> Answer | None:
        """What the request that just came is answered with, if not with the truth."""
        return self._answers.popleft() if self._answers else None

    def next_break(self) -> tuple[str, int] | None:
        """How and after how many tokens the answer that now begins is to break."""
        return self._breaks.popleft() if self._breaks else self._always

    async def flowing(self) -> None:
        """Return once nothing hangs."""
        await self.seen.wait_for(lambda: not self.hanging, timeout=None)
