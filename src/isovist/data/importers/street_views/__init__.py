"""Download or render views of places: street view services and simulators of scanned buildings."""
