"""What a server needs before it serves: its secret, the parameters in force, the first start."""

import asyncio
from collections.abc import Sequence

from django.conf import settings

from fleetsite import firststart, refresh
from fleetsite.binding import is_loopback
from fleetsite.datadir import keep_secret
from nodes.core.parameters import Liveness
from nodes.lib.live import current, install
from nodes.lib.mark import RouterMark
from routing.core.access import Binding, ServerSecret


def prepare(bound: Binding) -> Sequence[str]:
    """Make ready to serve; what the operator must read, for no other eyes."""
    keep_secret(settings.DATA_DIR, settings.SECRET_KEY)
    secret = settings.SECRET_KEY.encode()
    install(ServerSecret(secret))
    install(RouterMark.of(secret))
    first = firststart.is_first()
    asyncio.run(_look_around(first))
    return _written(firststart.make_credentials(is_loopback(bound.host)))


async def _look_around(first: bool) -> None:
    await refresh.load_all()
    if first and current(Liveness).detect_local:
        await firststart.add_local_node()


def _written(lines: Sequence[str]) -> Sequence[str]:
    if not lines:
        return ()
    path = firststart.write_down(settings.DATA_DIR, lines)
    return [*lines, f"(kept in {path}: read it, then delete it)"]
