"""Exact solutions, and how close each solver comes to them."""
