"""Names that clients use and no model has, as the data plane knows them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Alias:
    """A name, the model it stands for, and the models to take instead, in their order; models in normal form."""

    name: str
    target: str
    fallbacks: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """All that may answer, the first choice first."""
        return (self.target, *self.fallbacks)


@dataclass(frozen=True, slots=True)
class Aliases:
    """Every alias by its name in normal form."""

    by_name: Mapping[str, Alias] = field(default_factory=dict)
