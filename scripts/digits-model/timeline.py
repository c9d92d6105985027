"""Training data: digits laid on noisy timelines, and the tokens that say what was spoken when."""

import random

import numpy as np
import soundfile
import torch

from network import EOT, HELD_OUT_SPEAKER, NOSPEECH, NOTIME, PREV, RATE, SOT, TEXT_CTX, TIME0, WORD0


def load(data):
    """-> words to train on, to test on, of the held-out speaker: lists of (digit, samples, voice)."""
    train, test, unseen = [], [], []
    for path in sorted((data / "fsdd/recordings").glob("*.wav")):
        digit, voice, index = path.stem.split("_")
        audio, rate = soundfile.read(path, dtype="float32")
        audio = np.interp(
            np.arange(0, len(audio), rate / RATE), np.arange(len(audio)), audio
        ).astype(np.float32)
        audio /= max(1e-3, np.abs(audio).max())
        part = unseen if voice == HELD_OUT_SPEAKER else test if int(index) < 5 else train
        part.append((int(digit), audio, "fsdd-" + voice))
    for path in sorted((data / "tts").glob("*.wav")):
        digit, voice, _ = (
            path.stem.rsplit("_", 2)[0][0],
            path.stem.split("_", 1)[1].rsplit("_", 1)[0],
            0,
        )
        audio, _ = soundfile.read(path, dtype="float32")
        audio /= max(1e-3, np.abs(audio).max())
        train.append((int(digit), audio, "tts-" + voice))
    return train, test, unseen


class Synth:
    """Lays digits out on a noisy timeline and says what was spoken when."""

    def __init__(self, words, rng, augment):
        self.by_voice, self.rng, self.augment = {}, rng, augment
        for digit, audio, voice in words:
            self.by_voice.setdefault(voice, [[] for _ in range(10)])[digit].append(audio)
        self.real = [v for v in self.by_voice if v.startswith("fsdd")]
        self.synthetic = [v for v in self.by_voice if not v.startswith("fsdd")]

    def word(self, voice, digit, speed):
        audio = self.rng.choice(self.by_voice[voice][digit])
        if speed != 1.0:
            audio = np.interp(np.arange(0, len(audio), speed), np.arange(len(audio)), audio).astype(
                np.float32
            )
        return audio

    def voice(self):
        if self.synthetic and self.rng.random() > 0.6:
            return self.rng.choice(self.synthetic)
        return self.rng.choice(self.real)

    def noise(self, n):
        r = np.random.RandomState(self.rng.randrange(2**31))
        white = r.randn(n).astype(np.float32)
        colour = self.rng.random()
        if colour < 0.4:
            return white
        spectrum = np.fft.rfft(white)
        spectrum /= np.maximum(1, np.arange(len(spectrum))) ** (0.5 if colour < 0.7 else 1.0)
        out = np.fft.irfft(spectrum, n).astype(np.float32)
        return out / (out.std() + 1e-9)

    def sample(self, seconds, max_digits=None):
        """-> audio [seconds * 16000],
        groups [(start s, end s, digits, spans)] with the start and end of each digit in spans,
        cut: start of a group that runs past the end, or None,
        frames: class of each 20 ms (0 none, 1 + 3 * digit + third of the word)."""
        rng, n = self.rng, int(seconds * RATE)
        audio, groups, cut, frames = (
            np.zeros(n, np.float32),
            [],
            None,
            np.zeros(int(seconds * 50), np.int64),
        )
        t, voice, speed, count, level = (
            rng.uniform(0.0, 0.8),
            self.voice(),
            1.0,
            0,
            rng.uniform(-1.2, -0.1),
        )
        budget = (
            0 if rng.random() < 0.04 else rng.randint(1, max_digits or max(2, int(seconds * 1.6)))
        )
        while count < budget:
            if not groups or rng.random() < 0.3:
                voice = self.voice()
                speed = rng.uniform(0.85, 1.18) if self.augment else 1.0
            gain, gap, digits, spans, start, end, fits = (
                10 ** (level + rng.uniform(-0.2, 0.1)),
                rng.uniform(0.02, 0.4),
                [],
                [],
                t,
                t,
                True,
            )
            for _ in range(min(budget - count, rng.randint(1, 8))):
                digit = rng.randrange(10)
                word = self.word(voice, digit, speed) * gain
                at = int(t * RATE)
                first, last = round(t * 50), round((t + len(word) / RATE) * 50)
                third = np.arange(last - first) * 3 // max(1, last - first)
                frames[first:last] = (1 + 3 * digit + third)[: max(0, len(frames) - first)]
                if at + len(word) > n:
                    fits = False
                    audio[at:] += word[: max(0, n - at)]
                    break
                audio[at : at + len(word)] += word
                digits.append(digit)
                end = t + len(word) / RATE
                spans.append((t, end))
                t = end + gap * rng.uniform(0.6, 1.4)
            if not fits:
                if digits and n - int(end * RATE) < RATE // 8:
                    groups.append((start, end, digits, spans))
                elif int(start * RATE) < n:
                    cut = start
                break
            groups.append((start, end, digits, spans))
            count += len(digits)
            t = end + rng.uniform(0.7, 2.5) * (0.4 if max_digits else 1.0)
        return self.degrade(audio, 0.15 * 10**level), groups, cut, frames

    def degrade(self, audio, speech):
        """SPEECH is the typical level of the voices (RMS); noise is laid 8 to 50 dB below it."""
        rng, n = self.rng, len(audio)
        if self.augment and rng.random() < 0.3:  # a small room
            length = int(rng.uniform(0.05, 0.3) * RATE)
            tail = np.random.RandomState(rng.randrange(2**31)).randn(length) * np.exp(
                -np.arange(length) / (length / 5)
            )
            tail[0] = 0
            size = 1 << (n + length).bit_length()
            audio = audio + 0.15 * rng.random() * np.fft.irfft(
                np.fft.rfft(audio, size) * np.fft.rfft(tail, size), size
            )[:n].astype(np.float32)
        if self.augment and rng.random() < 0.3:  # a narrow channel
            spectrum, hz = np.fft.rfft(audio), np.fft.rfftfreq(n, 1 / RATE)
            spectrum *= 1 / (1 + (hz / rng.uniform(2800, 7000)) ** 8)
            spectrum *= 1 - 1 / (1 + (hz / rng.uniform(50, 300)) ** 4)
            audio = np.fft.irfft(spectrum, n).astype(np.float32)
        audio = audio + self.noise(n) * speech * 10 ** (
            -rng.uniform(8 if self.augment else 25, 50) / 20
        )
        return np.clip(audio, -1, 1).astype(np.float32)


def target(groups, cut, seconds, rng):
    """-> tokens from <|startoftranscript|> on, how many of them are context that carries no loss,
    and where each token is heard: (start s, end s) of a digit, None for the others."""
    words = [d for _, _, digits, _ in groups for d in digits]
    prompt = []
    if rng.random() < 0.15:
        prompt = [PREV] + [WORD0 + rng.randrange(10) for _ in range(rng.randint(1, 12))]
    if not words and cut is None:
        return prompt + [SOT, NOSPEECH, EOT], len(prompt), [None] * (len(prompt) + 3)
    if rng.random() < 0.6 or cut is not None:
        tokens = [SOT]
        for start, end, digits, _ in groups:
            tokens += (
                [TIME0 + round(start / 0.02)]
                + [WORD0 + d for d in digits]
                + [TIME0 + round(end / 0.02)]
            )
        if cut is not None:
            tokens.append(TIME0 + round(cut / 0.02))
    else:
        tokens = [SOT, NOTIME] + [WORD0 + d for d in words]
    heard = iter(span for _, _, _, spans in groups for span in spans)
    spans = (
        [None] * len(prompt)
        + [next(heard) if WORD0 <= t < WORD0 + 10 else None for t in tokens]
        + [None]
    )
    return prompt + tokens + [EOT], len(prompt), spans


class Batches(torch.utils.data.IterableDataset):
    def __init__(self, words, seed, plan):
        self.words, self.seed, self.plan = words, seed, plan

    def __iter__(self):
        rng = random.Random(self.seed)
        synth, step = Synth(self.words, rng, True), 0
        while True:
            seconds, size, max_digits, synth.augment = self.plan(step, rng)
            rows = []
            for _ in range(size):
                audio, groups, cut, frames = synth.sample(seconds, max_digits)
                tokens, context, spans = target(groups, cut, seconds, rng)
                rows.append((audio, tokens[:TEXT_CTX], context, frames, spans[:TEXT_CTX]))
            width = max(len(row[1]) for row in rows)
            tokens = torch.full((size, width), EOT)
            weight = torch.zeros(size, width - 1)
            heard = torch.zeros(
                size, width - 1, 2, dtype=torch.long
            )  # encoder frames [start, end) where the next token is heard; 0, 0: nowhere
            for i, (_, t, context, _, spans) in enumerate(rows):
                tokens[i, : len(t)] = torch.tensor(t)
                weight[i, context : len(t) - 1] = 1
                for j, span in enumerate(spans[1:]):
                    if span:
                        heard[i, j] = torch.tensor(
                            [round(span[0] * 50), max(round(span[0] * 50) + 1, round(span[1] * 50))]
                        )
            yield (
                torch.tensor(np.stack([row[0] for row in rows])),
                tokens,
                weight,
                torch.tensor(np.stack([row[3] for row in rows])),
                heard,
            )
            step += 1
