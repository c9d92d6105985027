"""Writes a trained network as a folder of the Hugging Face hub."""

import json
import struct

from network import (
    ALIGNMENT_HEAD,
    AUDIO_CTX,
    AUDIO_LAYERS,
    EOT,
    HEADS,
    ID,
    NOTIME,
    N_MELS,
    PREV,
    SOT,
    STATE,
    TEXT_CTX,
    TEXT_LAYERS,
    VOCAB,
    byte_level,
)


def export(model, out, report):
    tensors = {
        "model." + k: v.detach().contiguous().float().numpy() for k, v in model.state_dict().items()
    }
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, value in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(value.shape),
            "data_offsets": [offset, offset + value.nbytes],
        }
        offset += value.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(out / "model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for value in tensors.values():
            f.write(value.tobytes())
    config = {
        "model_type": "whisper",
        "vocab_size": len(VOCAB),
        "num_mel_bins": N_MELS,
        "d_model": STATE,
        "encoder_layers": AUDIO_LAYERS,
        "decoder_layers": TEXT_LAYERS,
        "encoder_attention_heads": HEADS,
        "decoder_attention_heads": HEADS,
        "encoder_ffn_dim": 4 * STATE,
        "decoder_ffn_dim": 4 * STATE,
        "max_source_positions": AUDIO_CTX,
        "max_target_positions": TEXT_CTX,
        "bos_token_id": EOT,
        "eos_token_id": EOT,
        "pad_token_id": EOT,
        "decoder_start_token_id": SOT,
        "activation_function": "gelu",
        "torch_dtype": "float32",
    }
    generation = {
        "is_multilingual": False,
        "no_timestamps_token_id": NOTIME,
        "decoder_start_token_id": SOT,
        "eos_token_id": EOT,
        "prev_sot_token_id": PREV,
        "suppress_tokens": [],
        "begin_suppress_tokens": [32, EOT],
        "alignment_heads": [list(ALIGNMENT_HEAD)],
        "max_initial_timestamp_index": 1500,
    }
    for name, value in (
        ("config", config),
        ("generation_config", generation),
        ("vocab", {byte_level(t): i for t, i in ID.items()}),
        ("report", report),
    ):
        (out / f"{name}.json").write_text(json.dumps(value, indent=1, ensure_ascii=False))
