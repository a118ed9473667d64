"""The models that clients can ask for: those of the nodes that are there, and the names that stand for them."""

from collections.abc import Mapping
from dataclasses import replace

from nodes.core.serving import is_there
from nodes.core.values import DiskModel, FleetSnapshot, ResidentModel
from nodes.lib.live import current
from routing.core.access import Key
from routing.core.aliases import Aliases
from routing.doors import may_use


def known_models(fleet: FleetSnapshot, key: Key | None) -> list[DiskModel]:
    """Every model of the nodes that are there, once, sorted by name; the most recently modified copy."""
    found: dict[str, DiskModel] = {}
    for node in filter(is_there, fleet.nodes):
        for candidate in (*node.on_disk.values(), *map(_as_disk, node.resident.values())):
            held = found.get(candidate.name)
            if may_use(key, candidate.name) and (held is None or candidate.modified_at > held.modified_at):
                found[candidate.name] = candidate
    found |= _aliased(found)
    return [found[name] for name in sorted(found)]


def _aliased(found: Mapping[str, DiskModel]) -> dict[str, DiskModel]:
    """Every alias of a model that is there, with that model's facts; a real model of the same name wins."""
    shown: dict[str, DiskModel] = {}
    for name, alias in current(Aliases).by_name.items():
        there = next((found[model] for model in alias.models if model in found), None)
        if there is not None and name not in found:
            shown[name] = replace(there, name=name, spelling=alias.name)
    return shown


def _as_disk(resident: ResidentModel) -> DiskModel:
    return DiskModel(resident.name, resident.size_gb)
