"""Results of runs: analysis and reports."""
