"""Environments held out for evaluation (OOD): never used to profile, to select, to pretrain or to train."""

HELD_OUT: frozenset[str] = frozenset()
"""Their ids; empty while the pool is too small to spare any."""
