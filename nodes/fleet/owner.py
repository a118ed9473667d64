"""Who owns the tickets and unfinished decisions of this process."""

import os
import secrets

OWNER: str = f"{os.getpid()}-{secrets.token_hex(4)}"
