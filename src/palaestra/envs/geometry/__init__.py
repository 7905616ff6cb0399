"""Shapes in the plane and in space: turning, mirroring, folding, fitting, crossing."""
