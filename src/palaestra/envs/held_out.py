"""Environments held out for evaluation (OOD): never used to profile, to select, to pretrain or to train."""

HELD_OUT: frozenset[str] = frozenset({"geometry/rotate_match", "grid/key_door"})
"""Their ids: one world of a single turn and one of many, whose kinds of answer other environments ask for too."""
