"""Drawn graphs: nodes, connections, weights."""
