"""Wiring drawings, pin tables and bills of materials, all derived from one board profile."""
