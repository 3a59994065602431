"""Street objects with a variable length or a texture: barriers and the church. All others are meshes of the pack."""

from __future__ import annotations

from dataclasses import replace

from isovist.core.scene3d import Group, Pose, Texture
from isovist.world.scenes.environments.primitives import block, group
from isovist.world.scenes.furniture_meshes import built

_PALINGS = 2.0  # length in metres of one fence mesh
_LEAVES, _STONE = Texture("grass", 1.1), Texture("concrete", 2.4)

BOLLARD, POST_BOX, PHONE_BOX = built("bollard"), built("post-box"), built("phone-box")
LAMP_POST, LAMP_ARM, OLD_LAMP = built("lamp-post"), built("lamp-arm"), built("old-lamp")
STREET_LAMP = Group((*LAMP_POST.parts, *LAMP_ARM.parts))
CHURCH = group(
    block((9.0, 7.0, 15.0), (0.0, 0.0, -4.0), "#cfc4ac", _STONE),
    block((5.0, 14.0, 5.0), (0.0, 0.0, 4.0), "#cfc4ac", _STONE),
    *built("church").parts,
)


def hedge(length: float, height: float) -> Group:
    """A hedge along its left-right axis."""
    return group(
        block((length, height, 0.7), (0.0, 0.0, 0.0), "#7fae6a", _LEAVES),
        block((length - 0.1, 0.08, 0.56), (0.0, height, 0.0), "#8fbe78", _LEAVES),
    )


def fence(length: float, colour: str) -> Group:
    """A paling fence along its left-right axis."""
    count = round(length / _PALINGS)
    (palings,) = built("fence", width=length / count, paint=colour).parts
    step = length / count
    return group(*(replace(palings, pose=Pose((round((k + 0.5) * step - length / 2, 3), 0.0, 0.0))) for k in range(count)))


def railing(length: float) -> Group:
    """A metal guard rail along its left-right axis."""
    return built("railing", width=length)
