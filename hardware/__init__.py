"""Interfaces of what a seat has, board profiles, and the simulated chips behind them."""
