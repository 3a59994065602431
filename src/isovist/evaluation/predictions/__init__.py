"""Import result files of other evaluation tools as runs."""
