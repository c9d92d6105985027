"""The unmodified package openai-whisper behind a pipe, as answering.py has it.

Commands: about; audio {file, to}; copy {from, to, seed, amount}; normalise {texts}; run {model, function,
samples, options, most_windows, noise}.
"""

import hashlib
import importlib.metadata
import sys
import wave
import warnings
from pathlib import Path

from answering import serve  # before the packages: they print

import numpy as np
import torch
import whisper
from whisper.normalizers import EnglishTextNormalizer
from whisper.tokenizer import get_tokenizer

from model_folders import copy_with_noise, load_model
from observers import noise, observed

PACKAGE_FOLDER = Path(whisper.__file__).parent
SAMPLE_RATE = 16000


def package_digest():
    """SHA-256 over the package's own files, so that a changed copy is noticed."""
    digest = hashlib.sha256()
    files = [path for path in PACKAGE_FOLDER.rglob("*") if path.suffix in {".py", ".tiktoken", ".npz"}]
    for path in sorted(files, key=lambda path: path.relative_to(PACKAGE_FOLDER).as_posix()):
        digest.update(path.relative_to(PACKAGE_FOLDER).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def about():
    for name in ("gpt2", "multilingual"):
        whisper.tokenizer.get_encoding(name)  # from the package's own files
    versions = {name: importlib.metadata.version(name) for name in ("torch", "numpy", "numba", "tiktoken")}
    return {
        "version": importlib.metadata.version("openai-whisper"),
        "digest": package_digest(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "versions": versions,
        "assets": str(PACKAGE_FOLDER / "assets"),
    }


def is_plain_wav(path):
    try:
        with wave.open(path) as file:
            return (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (SAMPLE_RATE, 1, 2)
    except (wave.Error, EOFError):
        return False


def read_audio(path):
    """float32 samples, 16 kHz mono; anything but a plain WAV file through the package, which needs ffmpeg."""
    if not is_plain_wav(path):
        return whisper.load_audio(path)
    with wave.open(path) as file:
        frames = file.readframes(file.getnframes())
    return np.frombuffer(frames, "<i2").astype(np.float32) / 32768.0


def audio(request):
    samples = read_audio(request["file"])
    samples.astype("<f4").tofile(request["to"])
    return {"samples": len(samples)}


def copy(request):
    copy_with_noise(Path(request["from"]), Path(request["to"]), request["seed"], request["amount"])
    return {}


def normalise(request):
    normalizer = EnglishTextNormalizer()
    return {"texts": [normalizer(text) for text in request["texts"]]}


models = {}


def model_of(folder):
    if folder not in models:
        models[folder] = load_model(Path(folder))
    return models[folder]


def decode(model, samples, options):
    mel = whisper.log_mel_spectrogram(whisper.pad_or_trim(samples), model.dims.n_mels)
    result = model.decode(mel, whisper.DecodingOptions(temperature=0.0, fp16=False, **options))
    return {
        "tokens": result.tokens,
        "text": result.text,
        "language": result.language,
        "language_probs": result.language_probs,
        "avg_logprob": result.avg_logprob,
        "no_speech_prob": result.no_speech_prob,
        "compression_ratio": result.compression_ratio,
    }


def transcribe(model, samples, options):
    return model.transcribe(samples, temperature=0.0, fp16=False, **options)


def run(request):
    model = model_of(request["model"])
    samples = np.fromfile(request["samples"], "<f4")
    function = {"decode": decode, "transcribe": transcribe}[request["function"]]
    with observed(model, request["most_windows"]) as windows, noise(model, request.get("noise")):
        result = function(model, samples, request["options"])
    return {"result": result, "windows": windows}


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    serve(
        {
            "about": lambda _: about(),
            "audio": audio,
            "copy": copy,
            "normalise": normalise,
            "run": run,
        }
    )


if __name__ == "__main__":
    main()
