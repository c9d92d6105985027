#!/usr/bin/env python3
"""Synthesise digits with espeak-ng and flite into OUT/tts/{digit}_{voice}_{n}.wav (16 kHz mono).

Usage: synthesise.py OUT.  Needs the programs espeak-ng, flite and sox on PATH.
"""

import itertools
import pathlib
import random
import subprocess
import sys

WORDS = "zero one two three four five six seven eight nine".split()
ESPEAK_ACCENTS = [
    "en-us",
    "en-gb",
    "en-gb-scotland",
    "en-gb-x-rp",
    "en-gb-x-gbcwmd",
    "en-gb-x-gbclan",
    "en-029",
]
ESPEAK_VARIANTS = [
    "",
    "+m1",
    "+m3",
    "+m5",
    "+m7",
    "+f1",
    "+f2",
    "+f3",
    "+f4",
    "+f5",
    "+klatt2",
    "+klatt4",
]
FLITE_VOICES = ["awb", "kal16", "rms", "slt"]


def run(*command):
    subprocess.run(
        [str(c) for c in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def main(out):
    out = pathlib.Path(out) / "tts"
    out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(7)
    raw = out / "raw.wav"
    for accent, variant in itertools.product(ESPEAK_ACCENTS, ESPEAK_VARIANTS):
        for digit, word in enumerate(WORDS):
            run(
                "espeak-ng",
                "-v",
                accent + variant,
                "-s",
                rng.randint(110, 210),
                "-p",
                rng.randint(20, 80),
                "-w",
                raw,
                word,
            )
            run(
                "sox",
                raw,
                "-r",
                16000,
                "-c",
                1,
                "-b",
                16,
                out / f"{digit}_{accent}{variant}_0.wav",
                "silence",
                1,
                0.01,
                "0.3%",
                "reverse",
                "silence",
                1,
                0.01,
                "0.3%",
                "reverse",
            )
    for voice in FLITE_VOICES:
        for n, stretch in enumerate((0.75, 0.9, 1.0, 1.15, 1.3)):
            for digit, word in enumerate(WORDS):
                run(
                    "flite",
                    "-voice",
                    voice,
                    "--setf",
                    f"duration_stretch={stretch}",
                    "-t",
                    word,
                    "-o",
                    raw,
                )
                run(
                    "sox",
                    raw,
                    "-r",
                    16000,
                    "-c",
                    1,
                    "-b",
                    16,
                    out / f"{digit}_{voice}_{n}.wav",
                    "silence",
                    1,
                    0.01,
                    "0.5%",
                    "reverse",
                    "silence",
                    1,
                    0.01,
                    "0.5%",
                    "reverse",
                )
    raw.unlink(missing_ok=True)


if __name__ == "__main__":
    main(sys.argv[1])
