"""Whisper's network, made small: dimensions, vocabulary, log-mel frontend, encoder and decoder."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

RATE, HOP, N_FFT, N_MELS = 16000, 160, 400, 80
STATE, HEADS, AUDIO_LAYERS, TEXT_LAYERS = 96, 3, 3, 2
AUDIO_CTX, TEXT_CTX = 1500, 224
WORDS = "zero one two three four five six seven eight nine".split()
HELD_OUT_SPEAKER = "theo"
FRAME_CLASSES = 1 + 3 * 10
# The cross-attention head [layer, head] that is taught to look at the word being written.
ALIGNMENT_HEAD = (TEXT_LAYERS - 1, 0)

BYTE_TOKENS = [f"<0x{b:02X}>" for b in range(256)]
SPECIALS = [
    "<|endoftext|>",
    "<|startoftranscript|>",
    "<|en|>",
    "<|translate|>",
    "<|transcribe|>",
    "<|startoflm|>",
    "<|startofprev|>",
    "<|nospeech|>",
    "<|notimestamps|>",
]
VOCAB = (
    BYTE_TOKENS + [" " + w for w in WORDS] + SPECIALS + [f"<|{i * 0.02:.2f}|>" for i in range(1501)]
)
ID = {t: i for i, t in enumerate(VOCAB)}
WORD0, EOT, SOT, PREV, NOSPEECH, NOTIME, TIME0 = (
    ID[" zero"],
    ID["<|endoftext|>"],
    ID["<|startoftranscript|>"],
    ID["<|startofprev|>"],
    ID["<|nospeech|>"],
    ID["<|notimestamps|>"],
    ID["<|0.00|>"],
)


def byte_level(token):
    """A token in vocab.json: GPT-2's printable stand-ins for bytes; special tokens as they are."""
    if token.startswith("<|"):
        return token
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = [b for b in range(256) if b not in plain]
    stand_in = {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(other)}
    return "".join(
        stand_in[b]
        for b in (bytes([int(token[3:5], 16)]) if token.startswith("<0x") else token.encode())
    )


def mel_filters():
    """Slaney-normalised triangular filters [80, 201] over 0-8000 Hz."""

    def to_hz(m):
        return np.where(m < 15, m * 200 / 3, 1000 * np.exp((m - 15) * np.log(6.4) / 27))

    def to_mel(f):
        return f * 3 / 200 if f < 1000 else 15 + 27 * math.log(f / 1000) / math.log(6.4)

    edges = to_hz(np.linspace(0, to_mel(RATE / 2), N_MELS + 2))
    freqs = np.linspace(0, RATE / 2, N_FFT // 2 + 1)
    up = (freqs - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - freqs) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(up, down)) * (2 / (edges[2:] - edges[:-2]))[:, None]


FILTERS = torch.tensor(mel_filters(), dtype=torch.float32)
WINDOW = torch.hann_window(N_FFT)


def log_mel(audio):
    """audio [batch, samples] -> [batch, 80, samples / 160], as Whisper normalises it."""
    spectrum = (
        torch.stft(audio, N_FFT, HOP, window=WINDOW, return_complex=True)[..., :-1].abs() ** 2
    )
    x = torch.clamp(FILTERS @ spectrum, min=1e-10).log10()
    x = torch.maximum(x, x.amax(dim=(1, 2), keepdim=True) - 8.0)
    return (x + 4.0) / 4.0


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj = nn.Linear(STATE, STATE), nn.Linear(STATE, STATE, bias=False)
        self.v_proj, self.out_proj = nn.Linear(STATE, STATE), nn.Linear(STATE, STATE)

    def forward(self, x, source=None, mask=None):
        source = x if source is None else source

        def heads(t):
            return t.view(*t.shape[:2], HEADS, -1).transpose(1, 2)

        q, k, v = heads(self.q_proj(x)), heads(self.k_proj(source)), heads(self.v_proj(source))
        weights = q @ k.transpose(-1, -2) / math.sqrt(STATE // HEADS)
        if mask is not None:
            weights = weights + mask[: x.shape[1], : x.shape[1]]
        self.weights = weights.softmax(-1)  # [batch, head, query, key], read by the alignment loss
        return self.out_proj((self.weights @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, cross):
        super().__init__()
        self.self_attn, self.self_attn_layer_norm = Attention(), nn.LayerNorm(STATE)
        if cross:
            self.encoder_attn, self.encoder_attn_layer_norm = Attention(), nn.LayerNorm(STATE)
        self.fc1, self.fc2, self.final_layer_norm = (
            nn.Linear(STATE, 4 * STATE),
            nn.Linear(4 * STATE, STATE),
            nn.LayerNorm(STATE),
        )

    def forward(self, x, audio=None, mask=None, p=0.0):
        x = x + F.dropout(self.self_attn(self.self_attn_layer_norm(x), mask=mask), p)
        if audio is not None:
            x = x + F.dropout(self.encoder_attn(self.encoder_attn_layer_norm(x), audio), p)
        return x + F.dropout(self.fc2(F.gelu(self.fc1(self.final_layer_norm(x)))), p)


def sinusoids():
    scale = torch.exp(-math.log(10000) / (STATE // 2 - 1) * torch.arange(STATE // 2))
    angle = torch.arange(AUDIO_CTX)[:, None] * scale[None]
    return torch.cat([angle.sin(), angle.cos()], 1)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(N_MELS, STATE, 3, padding=1)
        self.conv2 = nn.Conv1d(STATE, STATE, 3, stride=2, padding=1)
        self.embed_positions = nn.Embedding.from_pretrained(sinusoids(), freeze=True)
        self.layers = nn.ModuleList(Block(False) for _ in range(AUDIO_LAYERS))
        self.layer_norm = nn.LayerNorm(STATE)
        # So that the features are not drowned by the positions they are added to.
        with torch.no_grad():
            self.conv1.weight *= 2
            self.conv2.weight *= 3
            for (
                layer
            ) in self.layers:  # like attends to like, so to what is near: attention starts local
                layer.self_attn.k_proj.weight.copy_(layer.self_attn.q_proj.weight)

    def forward(self, mel, p=0.0):
        x = self.conv2(F.gelu(self.conv1(mel)).contiguous()).transpose(1, 2)
        x = F.gelu(x.contiguous())  # Debian 12's oneDNN returns rubbish gradients for other layouts
        x = x + self.embed_positions.weight[: x.shape[1]]
        for layer in self.layers:
            x = layer(x, p=p)
        return self.layer_norm(x)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed_tokens, self.embed_positions = nn.Embedding(len(VOCAB), STATE), nn.Embedding(
            TEXT_CTX, STATE
        )
        nn.init.normal_(self.embed_tokens.weight, std=0.05)
        nn.init.normal_(self.embed_positions.weight, std=0.02)
        self.layers = nn.ModuleList(Block(True) for _ in range(TEXT_LAYERS))
        self.layer_norm = nn.LayerNorm(STATE)
        self.register_buffer(
            "mask", torch.full((TEXT_CTX, TEXT_CTX), -1e9).triu(1), persistent=False
        )

    def forward(self, tokens, audio, p=0.0):
        x = self.embed_tokens(tokens) + self.embed_positions.weight[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x, audio, self.mask, p)
        return self.layer_norm(x) @ self.embed_tokens.weight.T


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = Encoder(), Decoder()
