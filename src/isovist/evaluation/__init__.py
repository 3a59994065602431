"""Models, requests and the records of runs."""
