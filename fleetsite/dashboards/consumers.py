"""The live dashboard's WebSocket: the whole picture, then each change as soon as the page has drawn the last one."""

import asyncio
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

from fleetsite.dashboards.access import socket_is_open
from fleetsite.dashboards.hub import hub
from fleetsite.dashboards.seat import Seat

DRAWN = "drawn"  # all that a page ever says
PATIENCE = 30.0  # seconds in which a page must have drawn what it was sent
MOST_READERS = 100
NOT_UNDERSTOOD, NOT_SIGNED_IN, TOO_SLOW, TOO_MANY = 4400, 4401, 4408, 4429


class LiveFleet(AsyncWebsocketConsumer):
    """One open page. Nothing is sent to it before it has drawn what was sent: so nothing piles up on the way."""

    _sending: asyncio.Task[None] | None = None
    _over = False

    async def connect(self) -> None:
        """Accept, for only then can a page read why it is turned away."""
        await self.accept()
        if not socket_is_open(self.scope):
            await self._turn_away(NOT_SIGNED_IN)
        elif len(hub) >= MOST_READERS:
            await self._turn_away(TOO_MANY)
        else:
            self._drawn = asyncio.Event()
            self._sending = asyncio.create_task(self._send_all(hub.join()))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """The page has drawn; anything else ends it."""
        if self._over:
            return
        if text_data == DRAWN:
            self._drawn.set()
        else:
            await self._turn_away(NOT_UNDERSTOOD)

    async def disconnect(self, code: Any) -> None:
        """The page is gone."""
        if self._sending:
            self._sending.cancel()

    async def _turn_away(self, code: int) -> None:
        """Close, once."""
        self._over = True
        if self._sending and self._sending is not asyncio.current_task():
            self._sending.cancel()
        await self.close(code)

    async def _send_all(self, seat: Seat) -> None:
        try:
            await self._send_each(seat)
        except TimeoutError:
            hub.leave(seat)  # before it is told: that may take as long as it reads
            await self._turn_away(TOO_SLOW)
        except OSError:
            return  # it left while we sent
        finally:
            hub.leave(seat)

    async def _send_each(self, seat: Seat) -> None:
        while True:
            message = await seat.take()
            self._drawn.clear()
            async with asyncio.timeout(PATIENCE):
                await self.send(text_data=message)
                await self._drawn.wait()
