"""Selecting: which environments to train on, in an order, each with the terms that made it win.

=====================  ===================================================================================
``terms``              what every method works with: coverage, redundancy and conflict of a pool
``conflict``           what is known of conflict: a number for each pair, or mean gradients
``balance``            how these weigh against one another, and what counts as similar
``margins``            the gains of many candidates at once
``greedy``             the next best by gain, plainly and lazily; both pick the same
``method``             what a method is, and what it may be told beyond profiles and conflict
``aes``                Ability-aware Environment Selection
``without_conflict``   its ablation: coverage less redundancy
``coverage_only``      its ablation: nothing but coverage
``conflict_only``      its ablation: nothing but conflict
``local_search``       its set function: exchanges until none improves it
``exact``              the best set of a small pool by that function
``facility_location``  a rival: every environment finds one that is like it
``k_center``           rivals: what differs most in words, or in code
``tfidf``              texts as vectors, for these
``doge``               a rival: what the gradients of the whole pool gain most from
``random_k``           the baseline: K at random
``everything``         the other baseline: the whole pool
``objective``          the value F(S) of a finished set, whatever the order in which it was picked
``inclusion``          how often each is picked from other instances
``why``                why this one, and why not that one
=====================  ===================================================================================

Profiles come in as `core.profile.AbilityProfile`, conflict as plain numbers by pair or as mean gradients; nothing here
measures.

To add a rival, write a function of the shape `method.Method` as one file that is named as the literature names it, let
`Terms.selection` account for its picks, and add a line to `METHODS`: comparisons then run it by name.
"""

from collections.abc import Mapping
from types import MappingProxyType

from palaestra.selection.aes import aes
from palaestra.selection.conflict_only import conflict_only
from palaestra.selection.coverage_only import coverage_only
from palaestra.selection.doge import doge
from palaestra.selection.everything import everything
from palaestra.selection.exact import exact
from palaestra.selection.facility_location import facility_location
from palaestra.selection.k_center import k_center_code, k_center_description
from palaestra.selection.local_search import local_search
from palaestra.selection.method import Method
from palaestra.selection.random_k import random_k
from palaestra.selection.without_conflict import without_conflict

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "aes": aes,
        "local_search": local_search,
        "exact": exact,
        "without_conflict": without_conflict,
        "coverage_only": coverage_only,
        "conflict_only": conflict_only,
        "facility_location": facility_location,
        "k_center_description": k_center_description,
        "k_center_code": k_center_code,
        "doge": doge,
        "random_k": random_k,
        "everything": everything,
    }
)
"""Every method by name."""
