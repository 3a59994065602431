"""Models without weights: simulated models and solvers that read pixels."""
