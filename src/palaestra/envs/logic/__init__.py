"""Boards under constraints: filling, deducing, checking."""
