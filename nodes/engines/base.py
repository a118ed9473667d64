"""What the poller asks of a reader, whatever the engine."""

from typing import Protocol

from nodes.core.report import NodeReport


class Reader(Protocol):
    """Reads one node. Raises EngineTrouble, or TimeoutError after `limit` seconds. Never loads a model."""

    async def read(self, now: float, limit: float) -> NodeReport:
        """Everything the engine tells of itself."""

    async def probe(self, limit: float) -> NodeReport:
        """Only whether it can be reached, and its version: for a node whose agent reports the rest."""
