"""Rigid bodies: their shapes, where they stand on the grid, and what the water does to them."""
