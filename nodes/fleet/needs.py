"""What loading each model takes, as measured where it is or was loaded, in one process."""

from collections.abc import Iterable, Mapping
from math import inf
from typing import NamedTuple

from nodes.core.values import NodeSnapshot


class Measurement(NamedTuple):
    """The size of a model in a node's memory, with the context it was loaded with."""

    gb: float
    context: int | None


class Needs:
    """Each node's last measurement counts; of several, the one with the least context, which is what a node loads
    unless it is asked for more; of several of these, the latest. `gb` is replaced, never changed."""

    def __init__(self) -> None:
        self._measured: dict[str, dict[str, Measurement]] = {}  # model → node → measurement, the latest last
        self.gb: Mapping[str, float] = {}

    def measure(self, node: NodeSnapshot) -> frozenset[str]:
        """Take note of what a node has in memory; the models whose need this changed. The same again is no news."""
        found = {m: Measurement(r.size_gb, r.context) for m, r in node.resident.items() if r.size_gb}
        fresh = {model: size for model, size in found.items() if self._measured.get(model, {}).get(node.id) != size}
        for model, size in fresh.items():
            by_node = self._measured.setdefault(model, {})
            by_node.pop(node.id, None)
            by_node[node.id] = size
        return self._settle(fresh)

    def forget(self, node_id: str) -> frozenset[str]:
        """The node is gone; the models whose need this changed."""
        changed = self._settle([m for m, by_node in self._measured.items() if by_node.pop(node_id, None)])
        self._measured = {model: by_node for model, by_node in self._measured.items() if by_node}
        return changed

    def _settle(self, models: Iterable[str]) -> frozenset[str]:
        needs = {model: _need(self._measured[model]) for model in models}
        changed = {model: gb for model, gb in needs.items() if self.gb.get(model) != gb}
        if changed:
            self.gb = {model: gb for model, gb in {**self.gb, **changed}.items() if gb is not None}
        return frozenset(changed)


def _need(by_node: Mapping[str, Measurement]) -> float | None:
    latest_first = reversed(tuple(by_node.values()))
    least = min(latest_first, key=lambda size: size.context or inf, default=None)
    return least.gb if least else None
