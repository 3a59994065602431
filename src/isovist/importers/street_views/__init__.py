"""Views of places from elsewhere, four or more from each spot: services of street views, and simulators of scanned buildings."""
