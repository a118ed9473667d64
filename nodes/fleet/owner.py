"""Who we are among the processes that share a fleet."""

import os
import secrets

OWNER: str = f"{os.getpid()}-{secrets.token_hex(4)}"
