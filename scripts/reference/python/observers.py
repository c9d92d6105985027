"""What happens inside the reference, seen from around it: nothing of the package is replaced by other behaviour."""

import math
import sys
from contextlib import contextmanager

import torch
import whisper.decoding as decoding
from whisper.transcribe import transcribe

# As the goldens were selected: of the encoder's deviation, and absolute on every logit.
ENCODER_NOISE = 1e-4
LOGIT_NOISE = 3e-4


class TooManyWindows(Exception):
    """A case that would take too long."""


class FunctionsOfTorch:
    """torch.nn.functional for whisper.decoding, which tells what log_softmax is asked for."""

    def __init__(self, functions, heard):
        self._functions = functions
        self._heard = heard

    def __getattr__(self, name):
        return getattr(self._functions, name)

    def log_softmax(self, logits, *args, **kwargs):
        self._heard(logits)
        return self._functions.log_softmax(logits, *args, **kwargs)


class Window:
    """One decode call: its tokens before and after, and how close each step was."""

    def __init__(self, seek):
        self.seek = seek
        self.initial_tokens = None
        self.margins = []
        self.timestamp_margins = []

    def finish(self, result):
        return {
            "seek": self.seek,
            "initial_tokens": self.initial_tokens,
            "tokens": result.tokens,
            "margins": self.margins,
            "timestamp_margins": self.timestamp_margins,
            "avg_logprob": result.avg_logprob,
            "no_speech_prob": result.no_speech_prob,
        }


def seek_of_transcribe():
    """Mel frame at which transcribe() is, read from its running frame; 0 where decode() was called alone."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code is transcribe.__code__:
            return frame.f_locals["seek"]
        frame = frame.f_back
    return 0


def greedy_margin(logits):
    best, second = logits[0].float().topk(2).values.tolist()
    return best - second


def beam_margin(logits, sum_logprobs, beam_size):
    """The smallest gap in the ranking of the candidates that may be kept."""
    scores = logits.float().log_softmax(-1) + sum_logprobs[:, None]
    best = torch.unique(scores.flatten().topk(min(2 * beam_size + 2, scores.numel())).values)
    gaps = best.diff()
    return gaps.min().item() if len(gaps) else float("inf")


@contextmanager
def observed(model, most_windows):
    """Answers the list that the windows of every decode() of `model` are added to while the context lasts."""
    windows = []
    current = None
    in_timestamp_rules = False

    original_functions = decoding.F
    original_rules = decoding.ApplyTimestampRules.apply
    originals = {kind: kind.update for kind in (decoding.GreedyDecoder, decoding.BeamSearchDecoder)}

    def heard_log_softmax(logits):
        # Within the timestamp rules these are the logits just before timestamps are weighed against text.
        if not in_timestamp_rules:
            return
        begin = timestamp_begin
        text = logits[0, :begin].max().item()
        mass = logits[0, begin:].logsumexp(-1).item()
        if math.isfinite(text) and math.isfinite(mass):  # otherwise there is nothing to weigh
            current.timestamp_margins.append([len(current.margins), mass - text])

    def apply_rules(rules, logits, tokens):
        nonlocal in_timestamp_rules, timestamp_begin
        timestamp_begin = rules.tokenizer.timestamp_begin
        in_timestamp_rules = True
        try:
            original_rules(rules, logits, tokens)
        finally:
            in_timestamp_rules = False

    def observed_update(decoder, tokens, logits, sum_logprobs):
        if current.initial_tokens is None:
            current.initial_tokens = tokens[0].tolist()
        if isinstance(decoder, decoding.GreedyDecoder):
            current.margins.append(greedy_margin(logits))
        else:
            current.margins.append(beam_margin(logits, sum_logprobs, decoder.beam_size))
        return originals[type(decoder)](decoder, tokens, logits, sum_logprobs)

    def decode(*args, **kwargs):
        nonlocal current
        if len(windows) >= most_windows:
            raise TooManyWindows("too many windows")
        current = Window(seek_of_transcribe())
        result = type(model).decode(model, *args, **kwargs)
        windows.append(current.finish(result))
        return result

    timestamp_begin = 0
    decoding.F = FunctionsOfTorch(original_functions, heard_log_softmax)
    decoding.ApplyTimestampRules.apply = apply_rules
    for kind in originals:
        kind.update = observed_update
    model.decode = decode
    try:
        yield windows
    finally:
        del model.decode
        decoding.F = original_functions
        decoding.ApplyTimestampRules.apply = original_rules
        for kind, update in originals.items():
            kind.update = update


@contextmanager
def noise(model, seed):
    """While the context lasts the encoder's output and all logits carry a little noise; none if `seed` is None."""
    if seed is None:
        yield
        return
    generator = torch.Generator().manual_seed(seed)

    def like(values, amount):
        return values + amount * torch.randn(values.shape, generator=generator)

    hooks = [
        model.encoder.register_forward_hook(
            lambda _module, _inputs, output: like(output, ENCODER_NOISE * output.std())
        ),
        model.decoder.register_forward_hook(
            lambda _module, _inputs, output: like(output, LOGIT_NOISE)
        ),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
