"""A Whisper folder of the hub as Transformers.js reads it: python export_onnx.py HUB INTO

The exporter, and the dynamic quantisation to eight bits, are those that its documentation names.
"""
import sys
from pathlib import Path

from onnxruntime.quantization import QuantType, quantize_dynamic
from optimum.exporters.onnx import main_export

hub, into = sys.argv[1], Path(sys.argv[2])
main_export(hub, output=into, task="automatic-speech-recognition-with-past")
networks = into / "onnx"
networks.mkdir()
for name in ("encoder_model", "decoder_model_merged"):
    path = (into / f"{name}.onnx").rename(networks / f"{name}.onnx")
    quantize_dynamic(path, networks / f"{name}_quantized.onnx", weight_type=QuantType.QUInt8)
for path in into.glob("*.onnx*"):
    path.unlink()
