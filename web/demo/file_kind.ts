/** What a dropped file is for. */
export type FileKind = 'model' | 'audio';

const audioExtension = /\.(wav|wave|mp3|m4a|mp4|aac|flac|ogg|oga|opus|webm|mov|aiff?|caf|wma)$/i;
const modelExtension = /\.(apr|apr2|bin|gguf|ggml|safetensors|pt|onnx|april|bw2l|tnn|tsm)$/i;

/**
 * Decides by the first bytes, then by name and type. Other model formats count as models, so that the loader says what
 * they are instead of an audio decoder saying that it hears nothing in them.
 */
export async function fileKind(file: File): Promise<FileKind> {
  const head = new Uint8Array(await file.slice(0, 16).arrayBuffer());
  const ascii = String.fromCharCode(...head);
  if (ascii.startsWith('APR') || ascii.startsWith('GGUF') || ascii.startsWith('lmgg'))
    return 'model';
  if (/^(RIFF|RF64|fLaC|OggS|ID3|FORM|caff)/.test(ascii) || ascii.slice(4, 8) === 'ftyp')
    return 'audio';
  if (modelExtension.test(file.name)) return 'model';
  if (audioExtension.test(file.name) || /^(audio|video)\//.test(file.type)) return 'audio';
  // A safetensors header: a length, then JSON. Or JSON alone, such as a manifest.
  if ((ascii[8] === '{' && head[7] === 0) || /^\s*\{/.test(ascii)) return 'model';
  return 'audio';
}
