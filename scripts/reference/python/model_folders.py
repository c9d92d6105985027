"""Whisper folders: the reference's model from SafeTensors, and copies with noise on the weights."""

import base64
import gzip
import json
import re
import shutil
from pathlib import Path

import numpy as np
import torch
from whisper.model import ModelDimensions, Whisper

DTYPES = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "F64": np.dtype("<f8")}

# The hub's name of each dimension.
HUB_DIMENSIONS = {
    "n_mels": "num_mel_bins",
    "n_audio_ctx": "max_source_positions",
    "n_audio_state": "d_model",
    "n_audio_head": "encoder_attention_heads",
    "n_audio_layer": "encoder_layers",
    "n_vocab": "vocab_size",
    "n_text_ctx": "max_target_positions",
    "n_text_state": "d_model",
    "n_text_head": "decoder_attention_heads",
    "n_text_layer": "decoder_layers",
}

# The hub's tensor names into the reference's, in this order.
HUB_NAMES = [
    (r"^model\.", ""),
    (r"^encoder\.layer_norm\.", "encoder.ln_post."),
    (r"^decoder\.layer_norm\.", "decoder.ln."),
    (r"\.embed_tokens\.weight$", ".token_embedding.weight"),
    (r"\.embed_positions\.weight$", ".positional_embedding"),
    (r"\.layers\.", ".blocks."),
    (r"\.self_attn_layer_norm\.", ".attn_ln."),
    (r"\.encoder_attn_layer_norm\.", ".cross_attn_ln."),
    (r"\.final_layer_norm\.", ".mlp_ln."),
    (r"\.self_attn\.", ".attn."),
    (r"\.encoder_attn\.", ".cross_attn."),
    (r"\.q_proj\.", ".query."),
    (r"\.k_proj\.", ".key."),
    (r"\.v_proj\.", ".value."),
    (r"\.out_proj\.", ".out."),
    (r"\.fc1\.", ".mlp.0."),
    (r"\.fc2\.", ".mlp.2."),
]


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def read_safetensors(path):
    """Tensors of one file as float32 arrays; every value of its types but F64 is kept exactly."""
    content = memoryview(path.read_bytes())
    header_size = int.from_bytes(content[:8], "little")
    header = json.loads(bytes(content[8 : 8 + header_size]))
    tensors = {}
    for name, info in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + header_size + offset for offset in info["data_offsets"])
        if info["dtype"] == "BF16":  # the upper half of a float32
            bits = np.frombuffer(content[begin:end], "<u2").astype(np.uint32) << 16
            values = bits.view(np.float32)
        else:
            if info["dtype"] not in DTYPES:
                raise ValueError(f"{path.name}: {name} is {info['dtype']}, not a float type")
            values = np.frombuffer(content[begin:end], DTYPES[info["dtype"]])
        tensors[name] = values.astype(np.float32).reshape(info["shape"])
    return tensors


def write_safetensors(path, tensors):
    """float16 arrays as one file."""
    header, offset = {}, 0
    for name, values in tensors.items():
        span = [offset, offset + values.nbytes]
        header[name] = {"dtype": "F16", "shape": list(values.shape), "data_offsets": span}
        offset = span[1]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for values in tensors.values():
            file.write(np.ascontiguousarray(values, "<f2").tobytes())


def read_weights(folder):
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return read_safetensors(folder / "model.safetensors")
    tensors = {}
    for name in sorted(set(read_json(index)["weight_map"].values())):
        tensors.update(read_safetensors(folder / name))
    return tensors


def reference_name(name):
    for pattern, replacement in HUB_NAMES:
        name = re.sub(pattern, replacement, name)
    return name


def dimensions(folder):
    path = folder / "dims.json"
    if path.exists():
        return ModelDimensions(**read_json(path))
    config = read_json(folder / "config.json")
    return ModelDimensions(**{ours: config[hub] for ours, hub in HUB_DIMENSIONS.items()})


def set_alignment_heads(model, folder):
    """The file's heads where it lists some within the model; otherwise the reference's default stays."""
    path = folder / "generation_config.json"
    heads = (read_json(path).get("alignment_heads") if path.exists() else None) or []
    mask = np.zeros((model.dims.n_text_layer, model.dims.n_text_head), dtype=bool)
    for layer, head in heads:
        if 0 <= layer < mask.shape[0] and 0 <= head < mask.shape[1]:
            mask[layer, head] = True
    if mask.any():
        model.set_alignment_heads(base64.b85encode(gzip.compress(mask.tobytes())))


def load_model(folder):
    """The unmodified Whisper of the package, in float32, with the weights of a folder."""
    model = Whisper(dimensions(folder))
    tensors = {reference_name(name): values for name, values in read_weights(folder).items()}
    output = tensors.pop("proj_out.weight", None)  # the reference ties it to the embedding
    if output is not None and not np.array_equal(output, tensors["decoder.token_embedding.weight"]):
        raise ValueError("proj_out.weight differs from the token embedding; the reference ties them")
    model.load_state_dict({name: torch.from_numpy(values) for name, values in tensors.items()})
    set_alignment_heads(model, folder)
    return model.eval()


def copy_with_noise(source, target, seed, amount):
    """A folder with normal noise of `amount` times each tensor's deviation on its weights, in float16."""
    generator = np.random.default_rng(seed)
    noisy = {}
    for name, values in sorted(read_weights(source).items()):
        noise = generator.standard_normal(values.shape) * (amount * float(values.std()))
        noisy[name] = (values + noise).astype(np.float16)
    target.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        is_weight = path.suffix in {".safetensors", ".bin", ".pt"} or ".safetensors." in path.name
        if path.is_file() and not is_weight:
            shutil.copyfile(path, target / path.name)
    write_safetensors(target / "model.safetensors", noisy)
