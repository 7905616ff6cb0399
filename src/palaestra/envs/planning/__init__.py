"""Whole plans in one reply: who goes where, and when."""
