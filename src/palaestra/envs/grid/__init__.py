"""Worlds of cells: walking, slipping, carrying."""
