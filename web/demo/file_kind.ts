/** What a dropped file is for. A checkpoint is a model that becomes one of ours first. */
export type FileKind = 'model' | 'checkpoint' | 'audio';

const audioExtension = /\.(wav|wave|mp3|m4a|mp4|aac|flac|ogg|oga|opus|webm|mov|aiff?|caf|wma)$/i;
const modelExtension = /\.(apr|apr2|bin|gguf|ggml|safetensors|pt|onnx|april|bw2l|tnn|tsm)$/i;

/**
 * Decides by the first bytes, then by name and type. Other model formats count as models, so that the error comes
 * from the model loader, which names the format, and not from an audio decoder.
 */
export async function fileKind(file: File): Promise<FileKind> {
  const head = new Uint8Array(await file.slice(0, 16).arrayBuffer());
  const ascii = String.fromCharCode(...head);
  if (ascii.startsWith('APR')) return 'model';
  if (/^(GGUF|lmgg)/.test(ascii) || isSafetensors(head) || ascii.slice(6) === 'WhisperSpe') {
    return 'checkpoint';
  }
  if (/^(RIFF|RF64|fLaC|OggS|ID3|FORM|caff)/.test(ascii) || ascii.slice(4, 8) === 'ftyp')
    return 'audio';
  if (modelExtension.test(file.name)) return 'model';
  if (audioExtension.test(file.name) || /^(audio|video)\//.test(file.type)) return 'audio';
  // JSON alone, such as a manifest.
  return /^\s*\{/.test(ascii) ? 'model' : 'audio';
}

/** A length of eight bytes, then JSON. */
function isSafetensors(head: Uint8Array): boolean {
  return head[8] === '{'.charCodeAt(0) && head.subarray(5, 8).every((byte) => byte === 0);
}
