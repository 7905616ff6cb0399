"""Arithmetic: numbers, weights and rules that are worked out from what is drawn."""
