"""The analysis of runs: results by task, and findings, each with a significance test."""
