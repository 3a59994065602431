"""Chains of thought: step templates and their verifier."""
