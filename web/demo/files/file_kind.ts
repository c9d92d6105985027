import { fileMarks } from '../../src/api/generated/file_marks.js';
import { fileEndings } from '../../src/api/generated/formats.js';

/** What a dropped file is for. A checkpoint is a model that becomes one of ours first; a module is a network that is run by name. */
export type FileKind = 'model' | 'module' | 'checkpoint' | 'audio';

/** At byte 4 of every TenniS module. */
const tennisCode = [0x29, 0x09, 0x91, 0x19];
const tennisExtension = new RegExp(`\\.(${fileEndings.TenniS.join('|')})$`, 'i');

const audioExtension = /\.(wav|wave|mp3|m4a|mp4|aac|flac|ogg|oga|opus|webm|mov|aiff?|caf|wma)$/i;
const modelExtension = new RegExp(
  `\\.(${Object.values(fileEndings).flat().join('|')}|pt|onnx)$`,
  'i',
);

/**
 * Decides by the first bytes, then by name and type. Other model formats count as models, so that the error comes
 * from the model loader, which names the format, and not from an audio decoder.
 */
export async function fileKind(file: File): Promise<FileKind> {
  const head = new Uint8Array(await file.slice(0, 32).arrayBuffer());
  const ascii = String.fromCharCode(...head);
  if (ascii.startsWith('APR')) return 'model';
  if (isSafetensors(head)) return 'checkpoint';
  const marked = fileMarks.find(({ at, bytes }) => bytes.every((byte, i) => head[at + i] === byte));
  if (marked) return marked.kind === 'network' ? 'model' : marked.kind;
  const isTennis = tennisCode.every((byte, i) => head[4 + i] === byte);
  if (isTennis || tennisExtension.test(file.name)) return 'module';
  if (modelExtension.test(file.name)) return 'model';
  if (audioExtension.test(file.name) || /^(audio|video)\//.test(file.type)) return 'audio';
  // JSON alone, such as a manifest.
  return /^\s*\{/.test(ascii) ? 'model' : 'audio';
}

/** A length of eight bytes, then JSON. */
function isSafetensors(head: Uint8Array): boolean {
  return head[8] === '{'.charCodeAt(0) && head.subarray(5, 8).every((byte) => byte === 0);
}
