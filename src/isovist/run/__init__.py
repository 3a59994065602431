"""Running a model over items: one request at a time each, every attempt on record."""
