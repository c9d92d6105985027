"""SVOX Pico behind a command: says texts and writes their samples, 16 kHz s16, without a header.

    python pico.py < '[{"text", "voice", "speed", "pitch", "to"}, ...]'     voice: "de-DE"
"""

import json
import sys
from pathlib import Path

from py_nanotts import NanoTTS

for said in json.load(sys.stdin):
    path = Path(said.pop("to"))
    path.write_bytes(NanoTTS().speak(**said))
