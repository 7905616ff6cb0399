"""Selecting: which environments to train on, in an order, each with the terms that made it win.

=================  =======================================================================================
``terms``          what every method works with: coverage, redundancy and conflict of a pool, as arrays
``balance``        how these weigh against one another, and what counts as similar
``greedy``         the next best by gain, plainly and lazily; both pick the same
``aes``            Ability-aware Environment Selection
``random_k``       the baseline: K at random
``everything``     the other baseline: the whole pool
``objective``      the value F(S) of a finished set, whatever the order in which it was picked
``exact``          the best set of a small pool by F(S), to see how far a method falls short
=================  =======================================================================================

Profiles come in as `core.profile.AbilityProfile`, conflict as plain numbers by pair; nothing here measures.

To add a rival, write a function of the shape `terms.Method` as one file that is named as the literature names it, let
`Terms.selection` account for its picks, and add a line to `METHODS`: comparisons then run it by name.
"""

from collections.abc import Mapping
from types import MappingProxyType

from palaestra.selection.aes import aes
from palaestra.selection.everything import everything
from palaestra.selection.random_k import random_k
from palaestra.selection.terms import Method

METHODS: Mapping[str, Method] = MappingProxyType({"aes": aes, "everything": everything, "random_k": random_k})
"""Every method by name."""
