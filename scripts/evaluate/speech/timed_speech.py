"""Speech whose engines tell when each word is said: recordings of 24 s and more, as WAV files of 16 kHz, and truth.json: name ->
[[word, start, end], ...], seconds, as the marks in word_times.json are. For `npm run evaluate:word-times -- --made FOLDER`.

    python3 scripts/evaluate/speech/timed_speech.py FOLDER RECORDINGS SEED

Needs the shared libraries of flite and espeak-ng, numpy and scipy. flite counts the silence of a plosive to it."""

import ctypes as c
import json
import os
import re
import sys
import wave

import numpy as np
from scipy.signal import resample_poly

RATE = 16000
HERE = os.path.dirname(os.path.abspath(__file__))
ESPEAK_VOICES = ["en-us", "en-gb", "en-us+f3"]
NOISES = [None, 30, None, 20, None, None, 12]  # decibels of speech above white noise
PAUSES = [0.05, 0.2, 0.5, 1.0, 1.8]  # seconds


def sentences():
    with open(os.path.join(HERE, "evaluated.txt"), encoding="utf-8") as file:
        found = re.split(r"(?<=[.?!])\s+", file.read())
    # Engines and recognisers write numbers each in their own way.
    return [one for one in found if 4 <= len(one.split()) <= 22 and not re.search(r"\d", one)]


class Flite:
    voices = ["slt", "rms", "awb", "kal16"]

    class Wave(c.Structure):
        _fields_ = [
            ("type", c.c_char_p),
            ("rate", c.c_int),
            ("count", c.c_int),
            ("channels", c.c_int),
            ("samples", c.POINTER(c.c_short)),
        ]

    def __init__(self):
        self.library = c.CDLL("libflite.so.1", mode=c.RTLD_GLOBAL)
        for name in ["usenglish", "cmulex"]:
            c.CDLL(f"libflite_{name}.so.1", mode=c.RTLD_GLOBAL)
        self.library.flite_init()
        self.loaded = {}
        for name in self.voices:
            register = getattr(c.CDLL(f"libflite_cmu_us_{name}.so.1"), f"register_cmu_us_{name}")
            register.restype = c.c_void_p
            self.loaded[name] = register(None)

    def ask(self, name, result, *values):
        function = getattr(self.library, name)
        function.restype = result
        function.argtypes = [c.c_char_p if isinstance(one, bytes) else c.c_void_p for one in values]
        return function(*values)

    def say(self, voice, text):
        said = self.ask("flite_synth_text", c.c_void_p, text.encode(), self.loaded[voice])
        sound = c.cast(self.ask("utt_wave", c.c_void_p, said), c.POINTER(self.Wave)).contents
        assert sound.rate == RATE
        samples = np.ctypeslib.as_array(sound.samples, (sound.count,)) / np.float32(32768)
        item = self.ask("relation_head", c.c_void_p, self.ask("utt_relation", c.c_void_p, said, b"Word"))
        first = b"R:SylStructure.daughter1.daughter1.R:Segment.p.end"
        last = b"R:SylStructure.daughtern.daughtern.R:Segment.end"
        words = []
        while item:
            name = self.ask("ffeature_string", c.c_char_p, item, b"name").decode()
            start, end = (self.ask("ffeature_float", c.c_float, item, path) for path in (first, last))
            words.append([name, start, end])
            item = self.ask("item_next", c.c_void_p, item)
        return samples, words


class Espeak:
    WORD, PHONEME = 1, 7

    class Event(c.Structure):
        _fields_ = [
            ("type", c.c_int),
            ("id", c.c_uint),
            ("text_position", c.c_int),
            ("length", c.c_int),
            ("milliseconds", c.c_int),
            ("sample", c.c_int),
            ("data", c.c_void_p),
            ("name", c.c_char * 8),
        ]

    def __init__(self):
        self.library = c.CDLL("libespeak-ng.so.1")
        # Samples are handed over, phonemes are events.
        assert self.library.espeak_Initialize(1, 0, None, 1) == 22050
        self.samples, self.events = [], []
        callback = c.CFUNCTYPE(c.c_int, c.POINTER(c.c_short), c.c_int, c.POINTER(self.Event))
        self.callback = callback(self.take)
        self.library.espeak_SetSynthCallback(self.callback)

    def take(self, samples, count, events):
        if samples and count > 0:
            self.samples.append(np.ctypeslib.as_array(samples, (count,)).copy())
        i = 0
        while events[i].type != 0:
            one = events[i]
            self.events.append((one.type, one.text_position, one.length, one.milliseconds / 1000, one.name))
            i += 1
        return 0

    def say(self, voice, text):
        self.samples.clear()
        self.events.clear()
        self.library.espeak_SetVoiceByName(voice.encode())
        encoded = text.encode()
        self.library.espeak_Synth(encoded, len(encoded) + 1, 0, 1, 0, 1, None, None)
        self.library.espeak_Synchronize()
        words = []
        sounding = None  # the word whose phoneme lasts until the next event
        for kind, position, length, seconds, name in self.events:
            if sounding and kind != self.WORD:
                sounding[2] = seconds
                sounding = None
            if kind == self.WORD:
                words.append([text[position - 1 : position - 1 + length], None, None])
            elif kind == self.PHONEME and words and name.decode("utf-8", "replace").strip("ˈˌ',_:;|"):
                sounding = words[-1]
                if sounding[1] is None:
                    sounding[1] = seconds
        samples = resample_poly(np.concatenate(self.samples) / np.float32(32768), 320, 441)
        return samples, [word for word in words if None not in word]


def main(folder, count, seed):
    random = np.random.default_rng(seed)
    texts = sentences()
    flite, espeak = Flite(), Espeak()
    voices = [(flite, name) for name in Flite.voices] + [(espeak, name) for name in ESPEAK_VOICES]
    os.makedirs(folder, exist_ok=True)
    truth = {}
    said = seed * 101
    for i in range(count):
        engine, voice = voices[i % len(voices)]
        sound = [np.zeros(int(RATE * random.uniform(0.1, 1)), np.float32)]
        marks = []
        while (length := sum(len(part) for part in sound)) < 24 * RATE:
            samples, words = engine.say(voice, texts[said % len(texts)])
            said += 1
            marks += [[word, *(round(time + length / RATE, 3) for time in times)] for word, *times in words]
            sound += [samples, np.zeros(int(RATE * random.choice(PAUSES)), np.float32)]
        mixed = np.concatenate(sound) * random.uniform(0.1, 1)
        noise = NOISES[3 * i % len(NOISES)]
        if noise is not None:
            power = np.mean(mixed[np.abs(mixed) > 1e-3] ** 2)
            mixed = mixed + random.normal(0, np.sqrt(power) * 10 ** (-noise / 20), len(mixed))
        name = f"{i:02d} {voice} {noise}.wav"
        with wave.open(os.path.join(folder, name), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes((np.clip(mixed, -1, 1) * 32767).astype("<i2").tobytes())
        truth[name] = marks
    with open(os.path.join(folder, "truth.json"), "w", encoding="utf-8") as file:
        json.dump(truth, file)
    print(sum(len(marks) for marks in truth.values()), "words")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
