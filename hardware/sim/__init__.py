"""Simulated chips and wires, at register and bit level."""
