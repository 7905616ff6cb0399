"""The seed of one reply: a digest of what it is for, so that it does not depend on what else is in the batch."""

import json
from hashlib import sha256


def seed_of(run_seed: int, ticket: int, member: int, turn: int) -> int:
    """Return the seed in [0, 2**63) of one member's reply at one turn of one ticket.

    >>> seed_of(0, ticket=7, member=0, turn=0) == seed_of(0, ticket=7, member=0, turn=1)
    False
    """
    digest = sha256(json.dumps([run_seed, ticket, member, turn]).encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1
