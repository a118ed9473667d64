"""The order in which a list of models is tried."""

from collections.abc import Sequence

from routing.core.candidates import Candidate


def turn(candidate: Candidate, models: Sequence[str]) -> tuple[bool, int]:
    """When this candidate's turn is, lower first; one model asked for has one turn, so that its score alone decides.

    Of several, each is tried where it is loaded, in list order, before any of them is loaded anywhere.
    """
    if len(models) == 1:
        return False, 0
    return candidate.resident is None, models.index(candidate.model)
