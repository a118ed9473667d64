"""The nodes of the fleet in the order of their enrolment."""

from collections.abc import Sequence

from nodes.core.values import NodeSnapshot


class Roster:
    """`nodes` is replaced, never changed: it may be read from any thread."""

    def __init__(self) -> None:
        self._nodes: dict[str, NodeSnapshot] = {}
        self._order: dict[str, int] = {}
        self.nodes: tuple[NodeSnapshot, ...] = ()

    def get(self, node_id: str) -> NodeSnapshot | None:
        """The node as it was last put."""
        return self._nodes.get(node_id)

    def put(self, node: NodeSnapshot) -> None:
        """Set a node."""
        self._nodes[node.id] = node
        self._arrange()

    def drop(self, node_id: str) -> NodeSnapshot | None:
        """Forget a node; what it was."""
        gone = self._nodes.pop(node_id, None)
        self._arrange()
        return gone

    def order(self, ids: Sequence[str]) -> None:
        """These first, in this order; then the others as they came."""
        self._order = {node_id: place for place, node_id in enumerate(ids)}
        self._arrange()

    def _arrange(self) -> None:
        last = len(self._order)
        self.nodes = tuple(sorted(self._nodes.values(), key=lambda node: self._order.get(node.id, last)))
