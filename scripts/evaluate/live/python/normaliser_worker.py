"""The normaliser for English of the package openai-whisper behind a pipe, without the rest of the package and what that needs.

Command: normalise {texts}.
"""

import importlib.util
import sys
import types
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "reference" / "python"))

from answering import serve


def load():
    folder = importlib.util.find_spec("whisper").submodule_search_locations[0]
    # A package of this name that runs none of whisper's own code but its folder of normalisers.
    whisper = types.ModuleType("whisper")
    whisper.__path__ = [folder]
    sys.modules["whisper"] = whisper
    from whisper.normalizers import EnglishTextNormalizer

    return EnglishTextNormalizer()


normalised = load()
serve({"normalise": lambda request: {"texts": [normalised(text) for text in request["texts"]]}})
