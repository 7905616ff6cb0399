"""Shapes in the plane: turning, mirroring, fitting."""
