"""Which router this is: the mark on all that it asks of engines, by which it knows a request that comes back to it."""

import hmac
import secrets
from dataclasses import dataclass, field

VIA = "X-Fleet-Via"  # the routers through which a request has come


@dataclass(frozen=True, slots=True)
class RouterMark:
    """The same in all processes of one router, and in no other router."""

    value: str = field(default_factory=lambda: secrets.token_hex(8))

    @classmethod
    def of(cls, secret: bytes) -> "RouterMark":
        """The mark of the router that has this secret; tells nothing of it."""
        return cls(hmac.digest(secret, b"router mark", "sha256")[:8].hex())
