"""Worlds that show things once: what was seen must be kept in mind."""
