#!/usr/bin/env python3
"""Compose evaluation recordings from real spoken digits, and say what the model must output.

Usage: make_eval.py DATA MODEL OUT --seed N [--short N] [--medium N] [--long N] [--silent N]

Writes OUT/*.wav (16 kHz mono s16) and OUT/expected.json: per recording the truth (digits with
start and end in seconds, speaker) and, for recordings of at most 30 s, the tokens of greedy
decoding under Whisper's rules, with and without timestamps, computed in float32 by the training
code's own network.
"""

import argparse
import json
import pathlib
import random

import numpy as np
import soundfile
import torch

from network import (
    EOT,
    HELD_OUT_SPEAKER,
    ID,
    Model,
    NOSPEECH,
    NOTIME,
    PREV,
    RATE,
    SOT,
    TEXT_CTX,
    TIME0,
    WORD0,
    WORDS,
    log_mel,
)
from timeline import load
from scores import word_errors


def rules(logits, sampled):
    """Whisper's timestamp rules on one step's logits [n_vocab]; no limit on the first timestamp."""
    logits[NOTIME] = -np.inf
    last_time = bool(sampled) and sampled[-1] >= TIME0
    before_time = len(sampled) < 2 or sampled[-2] >= TIME0
    if last_time:
        if before_time:
            logits[TIME0:] = -np.inf
        else:
            logits[:EOT] = -np.inf
    times = [t for t in sampled if t >= TIME0]
    if times:
        logits[TIME0 : times[-1] if last_time and not before_time else times[-1] + 1] = -np.inf
    if not sampled:
        logits[:TIME0] = -np.inf
    logp = logits.log_softmax(-1)
    if logp[TIME0:].logsumexp(-1) > logp[:TIME0].max():
        logits[:TIME0] = -np.inf


NEVER = [SOT, PREV, NOSPEECH] + [
    ID[name] for name in ("<|translate|>", "<|transcribe|>", "<|startoflm|>")
]
# A recording on which the best two logits come closer than this is composed anew: float32 engines
# may differ there.
CLOSE = 0.003
SPACE = 32  # the byte token of " ", kept from the first place together with <|endoftext|>


@torch.no_grad()
def decode(model, mel, timestamps, prompt=()):
    """One window, greedy, temperature 0.

    mel [80, 3000] -> tokens without <|endoftext|>, smallest top-2 margin, no-speech probability,
    average log-probability.
    """
    encoded = model.encoder(mel[None])
    before = [PREV, *prompt[-(TEXT_CTX // 2 - 1) :]] if prompt else []
    start = before + ([SOT] if timestamps else [SOT, NOTIME])
    sampled, margin, silent, total = [], np.inf, None, 0.0
    while len(sampled) < TEXT_CTX // 2:
        rows = model.decoder(torch.tensor([start + sampled]), encoded)[0]
        if silent is None:
            silent = float(rows[start.index(SOT)].softmax(-1)[NOSPEECH])
        logits = rows[-1].clone()
        if not sampled:
            logits[[SPACE, EOT]] = -np.inf
        logits[NEVER] = -np.inf
        if timestamps:
            rules(logits, sampled)
        best = logits.topk(2).values
        margin = min(margin, float(best[0] - best[1]))
        token = int(logits.argmax())
        total += float(logits.log_softmax(-1)[token])
        if token == EOT:
            break
        sampled.append(token)
    return sampled, margin, silent, total / (len(sampled) + 1)


def window(model, audio, timestamps):
    """decode() of the samples padded with silence to 30 s."""
    return decode(
        model,
        log_mel(torch.tensor(np.pad(audio, (0, 30 * RATE - len(audio))))[None])[0],
        timestamps,
    )


def transcribe(model, audio, timestamps):
    """transcribe() at temperature 0.

    Windows by Whisper's seek rule over one mel of the whole recording, previous text as prompt,
    silent windows skipped. -> tokens of all segments in order, timestamp tokens included; smallest
    margin.
    """
    mel = log_mel(torch.tensor(np.pad(audio, (0, 30 * RATE)))[None])[0]
    frames, seek, tokens, prompt, margin = mel.shape[1] - 3000, 0, [], [], np.inf
    while seek < frames:
        size = min(3000, frames - seek)
        piece = torch.nn.functional.pad(mel[:, seek : seek + size], (0, 3000 - size))
        sampled, least, silent, average = decode(model, piece, timestamps, prompt)
        margin = min(margin, least)
        if silent > 0.6 and average < -1.0:
            seek += size
            continue
        times = [t >= TIME0 for t in sampled]
        pairs = [i for i in range(1, len(sampled)) if times[i - 1] and times[i]]
        single_end = len(sampled) > 1 and times[-1] and not times[-2]
        kept = []
        if pairs:
            cuts = pairs + ([len(sampled)] if single_end else [])
            last = 0
            for cut in cuts:
                kept.append(sampled[last:cut])
                last = cut
            seek += size if single_end else (sampled[last - 1] - TIME0) * 2
        else:
            kept.append(sampled)
            seek += size
        for segment in kept:
            begin, end = [t for t in segment if t >= TIME0][:1], [t for t in segment if t >= TIME0][
                -1:
            ]
            words = [t for t in segment if t < EOT]
            if begin and end and pairs and begin == end or not words:
                segment.clear()
        tokens += [t for segment in kept for t in segment]
        prompt += [t for segment in kept for t in segment]
    return tokens, margin


def compose(words, voice, seconds, rng):
    """One speaker, groups of digits with pauses; -> samples, [(digit, start s, end s)]."""
    n, t, truth = int(seconds * RATE), rng.uniform(0.15, 0.6), []
    audio = np.random.RandomState(rng.randrange(2**31)).randn(n).astype(
        np.float32
    ) * 10 ** rng.uniform(-4, -2.7)
    left = rng.randint(3, 6)
    while True:
        digit = rng.randrange(10)
        word = rng.choice(words[voice][digit])
        at = int(t * RATE)
        if at + len(word) > n - RATE // 4:
            return np.clip(audio, -1, 1), truth
        audio[at : at + len(word)] += 0.5 * word
        end = t + len(word) / RATE
        truth.append((digit, round(t, 3), round(end, 3)))
        left -= 1
        t = end + (rng.uniform(0.05, 0.3) if left else rng.uniform(0.8, 1.6))
        left = left or rng.randint(3, 6)


def record(model, kind, seconds, words, voice, rng):
    """One recording and what the model makes of it; "closest" is the smallest top-2 margin."""
    if kind == "silent":
        audio, truth, voice = (
            np.random.RandomState(rng.randrange(2**31))
            .randn(int(seconds * RATE))
            .astype(np.float32)
            * 0.003,
            [],
            None,
        )
    else:
        audio, truth = compose(words, voice, seconds, rng)
    pcm = np.round(audio * 32767).astype(np.int16)
    audio = pcm.astype(np.float32) / 32768
    row = {
        "file": None,
        "seconds": len(pcm) / RATE,
        "speaker": voice and voice[5:],
        "text": " ".join(WORDS[d] for d, _, _ in truth),
        "digits": [{"digit": d, "start": s, "end": e} for d, s, e in truth],
        "closest": np.inf,
    }
    for key, timestamps in (
        (("notimestamps", False), ("timestamps", True)) if kind != "long" else ()
    ):
        tokens, margin, silent, average = window(model, audio, timestamps)
        whole, least = transcribe(model, audio, timestamps)
        row[key] = {
            "window": tokens,
            "window_min_margin": round(margin, 5),
            "avg_logprob": round(average, 5),
            "transcribe": whole,
            "transcribe_min_margin": round(least, 5),
        }
        row["no_speech_prob"] = round(silent, 6)
        row["closest"] = min(row["closest"], margin, least)
    return row, pcm, truth


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "model", "out"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--seed", type=int, required=True)
    for name, count in (("short", 8), ("medium", 4), ("long", 2), ("silent", 2)):
        parser.add_argument(f"--{name}", type=int, default=count)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    _, test, unseen = load(args.data)
    words = {}
    for digit, audio, voice in test + unseen:
        words.setdefault(voice, [[] for _ in range(10)])[digit].append(audio)
    voices = sorted(words)
    model = Model()
    model.load_state_dict(torch.load(args.model / "checkpoint.pt")["model"], strict=False)
    model.eval()
    args.out.mkdir(parents=True, exist_ok=True)
    rows, errors, total = [], 0, 0
    jobs = [
        ("short", (3, 7), args.short),
        ("medium", (15, 29.5), args.medium),
        ("long", (65, 95), args.long),
        ("silent", (4, 12), args.silent),
    ]
    for kind, (low, high), count in jobs:
        for i in range(count):
            while True:
                row, pcm, truth = record(
                    model,
                    kind,
                    rng.uniform(low, high),
                    words,
                    "fsdd-" + HELD_OUT_SPEAKER if i % 2 else rng.choice(voices),
                    rng,
                )
                if row.pop("closest") >= CLOSE:
                    break
            row["file"] = f"{kind}-{i}.wav"
            soundfile.write(args.out / row["file"], pcm, RATE, subtype="PCM_16")
            if kind in ("short", "medium"):
                heard = [
                    t - WORD0 for t in row["notimestamps"]["window"] if WORD0 <= t < WORD0 + 10
                ]
                row["word_errors"] = word_errors([d for d, _, _ in truth], heard)
                errors, total = errors + row["word_errors"], total + len(truth)
            rows.append(row)
    summary = {
        "seed": args.seed,
        "word_error_rate": round(errors / max(1, total), 4),
        "words": total,
    }
    (args.out / "expected.json").write_text(
        json.dumps({"summary": summary, "recordings": rows}, indent=1)
    )
    print(summary)


if __name__ == "__main__":
    main()
