"""Losses of the training, greedy decoding, and word error rates."""

import math
import random

import numpy as np
import torch
import torch.nn.functional as F

from network import EOT, NOTIME, RATE, SOT, TIME0, WORD0, log_mel
from timeline import Synth


def token_loss(logits, wanted, weight):
    """Cross entropy; a timestamp's probability mass is spread over its neighbours."""
    logp = logits.log_softmax(-1)
    loss = -logp.gather(-1, wanted[..., None])[..., 0]
    is_time = wanted >= TIME0
    if is_time.any():
        rows, want = logp[is_time], wanted[is_time]
        spread = torch.zeros(len(want))
        total = 0.0
        for k in range(-4, 5):
            mass = math.exp(-abs(k) / 1.2)
            spread += -mass * rows.gather(-1, (want + k).clamp(TIME0, TIME0 + 1500)[:, None])[:, 0]
            total += mass
        loss = loss.masked_scatter(is_time, spread / total)
    return (loss * weight).sum() / weight.sum()


def alignment_loss(weights, heard):
    """How much attention [batch, query, key] falls outside the place [batch, query, 2] where the
    next token is heard."""
    mass = F.pad(weights.cumsum(-1), (1, 0)).gather(-1, heard.clamp(max=weights.shape[-1]))
    aligned = heard[..., 1] > heard[..., 0]
    return -(mass[..., 1] - mass[..., 0] + 1e-4)[aligned].log().sum() / max(1, int(aligned.sum()))


def frame_loss(head, encoded, frames):
    """Cross entropy of the 20 ms frame classes; silence added at the end does not count."""
    return F.cross_entropy(head(encoded[:, : frames.shape[1]]).flatten(0, 1), frames.flatten())


@torch.no_grad()
def greedy(model, audio, timestamps=False, limit=120):
    encoded = model.encoder(log_mel(audio[None]))
    tokens = [SOT] + ([] if timestamps else [NOTIME])
    while len(tokens) < limit:
        logits = model.decoder(torch.tensor([tokens]), encoded)[0, -1]
        logits[NOTIME] = -1e9
        if not timestamps:
            logits[TIME0:] = -1e9
        tokens.append(int(logits.argmax()))
        if tokens[-1] == EOT:
            break
    return tokens


def word_errors(reference, hypothesis):
    row = list(range(len(hypothesis) + 1))
    for i, r in enumerate(reference, 1):
        previous, row[0] = row[0], i
        for j, h in enumerate(hypothesis, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (r != h))
    return row[-1]


def evaluate(model, words, seconds, pad, count, seed):
    """Word error rate over COUNT clean-ish compositions, PAD seconds of zeros added to each."""
    model.eval()
    rng = random.Random(seed)
    synth, errors, total, drift = Synth(words, rng, False), 0, 0, []
    for _ in range(count):
        audio, groups, cut, _ = synth.sample(seconds, max(2, int(seconds)))
        if cut is not None or not groups:
            continue
        audio = torch.tensor(np.pad(audio, (0, int(pad * RATE))))
        said = [d for g in groups for d in g[2]]
        heard = [t - WORD0 for t in greedy(model, audio) if WORD0 <= t < WORD0 + 10]
        errors, total = errors + word_errors(said, heard), total + len(said)
        times = [(t - TIME0) * 0.02 for t in greedy(model, audio, True) if t >= TIME0]
        truth = [x for g in groups for x in g[:2]]
        if len(times) == len(truth):
            drift += [abs(a - b) for a, b in zip(times, truth)]
    model.train()
    return {
        "wer": round(errors / max(1, total), 4),
        "words": total,
        "segment_time_error_median_s": round(float(np.median(drift)), 3) if drift else None,
    }
