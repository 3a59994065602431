"""GCJ-02, the coordinate system of maps of mainland China: WGS 84 plus an offset of 100 to 700 m.

The formula is not official; it is the one in common use. BD-09, the system of Baidu, adds a second offset to GCJ-02; Baidu's web services
reply in GCJ-02 on request.
"""

from __future__ import annotations

from math import cos, pi, radians, sin, sqrt

_AXIS = 6_378_245.0  # metres: semi-major axis of the ellipsoid of Krasovsky
_ECCENTRICITY_SQUARED = 0.00669342162296594323
_NORTH, _EAST = (0.8293, 55.8271), (72.004, 137.8347)
"""The range of latitudes and longitudes with an offset."""
_ROUNDS = 12  # each reduces the error by a factor of more than 100


def to_wgs84(lat: float, lng: float) -> tuple[float, float]:
    """Return latitude and longitude in WGS 84 (degrees) of a point in GCJ-02, exact to 1 cm; a point outside China is unchanged."""
    if not (_NORTH[0] <= lat <= _NORTH[1] and _EAST[0] <= lng <= _EAST[1]):
        return lat, lng
    north, east = lat, lng
    for _ in range(_ROUNDS):
        offset = _offset(north, east)
        north, east = lat - offset[0], lng - offset[1]
    return north, east


def _offset(lat: float, lng: float) -> tuple[float, float]:
    """Return GCJ-02 minus WGS 84 in degrees at a point in WGS 84."""
    x, y = lng - 105, lat - 35
    ripple = _waves(x, (20, 1 / 6), (20, 1 / 2))
    north = -100 + 2 * x + 3 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * sqrt(abs(x))  # metres
    north += ripple + _waves(y, (20, 1), (40, 3), (160, 12), (320, 30))
    east = 300 + x + 2 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * sqrt(abs(x))
    east += ripple + _waves(x, (20, 1), (40, 3), (150, 12), (300, 30))
    w = sqrt(1 - _ECCENTRICITY_SQUARED * sin(radians(lat)) ** 2)
    degree_north = radians(_AXIS * (1 - _ECCENTRICITY_SQUARED) / w**3)  # metres in a degree
    degree_east = radians(_AXIS / w * cos(radians(lat)))
    return north / degree_north, east / degree_east


def _waves(at: float, *waves: tuple[float, float]) -> float:
    """Return a sum of sine waves in metres, each with an amplitude and half its period in degrees."""
    return sum(amplitude * 2 / 3 * sin(pi * at / half_period) for amplitude, half_period in waves)
