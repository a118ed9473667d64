"""The golden answers: what each dialect's client gets, byte for byte.

`python -m tests.routing.translation.told` writes them anew; read the difference before it is committed.
"""

from pathlib import Path

from routing.core.problems import UpstreamFailed
from routing.translation import DIALECTS, Chat, Encoder, Marks
from routing.translation.chat import Tool
from tests.routing.translation.answered import TOLD

GOLDEN = Path(__file__).parent / "golden"
MARKS = Marks("0123456789abcdef", 1796067899.5, prompt_tokens=9)
WEATHER = Tool("weather", "of a city", {"type": "object", "properties": {"city": {"type": "string"}}})


def encoder(path: str) -> Encoder:
    """A fresh writer of answers for this path."""
    return DIALECTS[path].encoder(Chat("m", (), tools=(WEATHER,), usage_wanted=True), MARKS)


def stream(path: str, scene: str) -> bytes:
    """The scene as a stream."""
    writer = encoder(path)
    return b"".join(map(writer.event, TOLD[scene]))


def whole(path: str, scene: str) -> bytes:
    """The scene as a whole answer, or why there is none."""
    try:
        return encoder(path).whole(TOLD[scene])
    except UpstreamFailed as failure:
        return f"UpstreamFailed: {failure}".encode()


def told(path: str) -> str:
    """All scenes of a path."""
    scenes = (
        f"##### {scene}\n{stream(path, scene).decode()}#### whole\n{whole(path, scene).decode()}\n" for scene in TOLD
    )
    return "\n".join(scenes)


def file(path: str) -> Path:
    """Where a path's golden answers are."""
    return GOLDEN / f"{path.strip('/').replace('/', '_')}.txt"


if __name__ == "__main__":
    for path in DIALECTS:
        file(path).write_text(told(path), encoding="utf-8")
