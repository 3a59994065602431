"""Stand-ins for libraries that a tool imports and that what is tested here does not use, where they are not installed.

There is no torchvision or torchaudio for every build of torch; tools import them at the top of files that also load data.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from typing import Any


class _Anything(type):
    def __getattr__(cls, name: str) -> int:
        if name.startswith("__"):
            raise AttributeError(name)
        return 0


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (object,), {})


def stand_in(*names: str) -> None:
    """Puts an empty module in the place of each that is missing, with the parents first."""
    # these ask what is installed, once; they must not take a stand-in for the library
    import accelerate  # noqa: F401
    import datasets  # noqa: F401
    import transformers.utils.import_utils as asked

    asked.is_torchvision_available()
    missing = {name for name in names if "." not in name and importlib.util.find_spec(name) is None}
    for name in names:
        if name.partition(".")[0] in missing:
            module = _Module(name)
            module.__path__ = []
            sys.modules[name] = module
