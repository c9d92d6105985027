// What a dropped file is for, by its first bytes, then by name and type.
import { inspect } from '../../src/files.js';
import { SusurrusError } from '../../src/index.js';
import { fileMarks } from '../../src/api/generated/file_marks.js';
import { fileEndings } from '../../src/api/generated/formats.js';
import { isText, textHeadBytes } from '../../src/audio/text_bytes.js';

/**
 * A checkpoint is a model that becomes one of ours first; a module is a network that is run by name; what is beside a model means
 * something with it alone.
 */
export type FileKind = 'model' | 'module' | 'checkpoint' | 'beside' | 'audio' | 'wrong';

export interface Look {
  readonly kind: FileKind;
  /** Why the file is wrong. */
  readonly problem?: unknown;
}

/** Says what a file is that is neither a recording nor a model of this page; tests give another one. */
export type AskLoader = (file: File) => Promise<unknown>;

/** At byte 4 of every TenniS module. */
const tennisCode = [0x29, 0x09, 0x91, 0x19];
const endingOf = (endings: readonly string[]): RegExp =>
  new RegExp(`\\.(${endings.join('|')})$`, 'i');
const networkEnding = endingOf([...fileEndings.TenniS, 'onnx']);
const modelEnding = endingOf([...Object.values(fileEndings).flat(), 'pt']);
const audioEnding =
  /\.(wav|wave|mp3|m4a|m4b|mp4|m4v|aac|flac|ogg|oga|opus|weba|webm|mkv|mov|avi|aiff?|caf|wma|amr|3gp)$/i;

/** Pictures and documents, of which some share their first bytes with sound. */
const others: readonly { readonly what: string; readonly begins: RegExp }[] = [
  { what: 'a picture', begins: /^(\x89PNG|\xff\xd8\xff|GIF8|BM.{4}\0\0\0\0|RIFF.{4}WEBP)/s },
  { what: 'a picture', begins: /^.{4}ftyp(heic|heix|mif1|msf1|avif|avis)/s },
  { what: 'a picture', begins: /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?<svg/ },
  { what: 'a PDF document', begins: /^%PDF-/ },
];

/** Archives, web pages and pointer files, which the loader names, whatever they are called. */

/* eslint-disable no-control-regex -- these are bytes */
const named =
  /^(PK\x03\x04|\x1f\x8b|BZh|\xfd7zXZ|7z\xbc\xaf|Rar!|version https:\/\/git-lfs|(\xef\xbb\xbf)?\s*<)/;

/* eslint-enable no-control-regex */

export async function lookAt(file: File, askLoader: AskLoader = inspect): Promise<Look> {
  try {
    if (file.size === 0) return wrong('an empty file');
    const head = new Uint8Array(await file.slice(0, textHeadBytes).arrayBuffer());
    return await lookAtHead(file, head, askLoader);
  } catch (problem) {
    // It was moved or deleted since it was chosen, or is a folder.
    return { kind: 'wrong', problem };
  }
}

async function lookAtHead(file: File, head: Uint8Array, askLoader: AskLoader): Promise<Look> {
  const { name, type } = file;
  const text = String.fromCharCode(...head);
  const other = others.find(({ begins }) => begins.test(text));
  if (other) return wrong(other.what);
  if (text.startsWith('APR')) return { kind: 'model' };
  if (isSafetensors(head)) return { kind: 'checkpoint' };
  const marked = fileMarks.find(({ at, bytes }) => bytes.every((byte, i) => head[at + i] === byte));
  if (marked) return { kind: marked.kind === 'network' ? 'model' : marked.kind };
  const isTennis = tennisCode.every((byte, i) => head[4 + i] === byte);
  if (isTennis || networkEnding.test(name)) return { kind: 'module' };
  if (/^(\xef\xbb\xbf)?\s*\{/.test(text)) return { kind: 'beside' };
  // Its error names what it is.
  if (modelEnding.test(name)) return { kind: 'model' };
  if (!named.test(text)) {
    if (isMpegSound(head)) return { kind: 'audio' };
    if (isText(head)) return wrong('a text');
    if (audioEnding.test(name) || /^(audio|video)\//.test(type)) return { kind: 'audio' };
  }
  try {
    await askLoader(file);
    return { kind: 'model' };
  } catch (problem) {
    return { kind: 'wrong', problem };
  }
}

const wrong = (got: string): Look => ({
  kind: 'wrong',
  problem: new SusurrusError('unknown_format', `This is ${got}, not a recording or a model.`, {
    reason: 'not_a_model',
    subject: 'file',
    got,
  }),
});

/** A length of eight bytes, then JSON. */
const isSafetensors = (head: Uint8Array): boolean =>
  head[8] === '{'.charCodeAt(0) && head.subarray(5, 8).every((byte) => byte === 0);

/** The beginning of an MP3 or AAC frame; FF FE begins a text. */
const isMpegSound = ([first = 0, second = 0]: Uint8Array): boolean =>
  first === 0xff && (second & 0xe0) === 0xe0 && second !== 0xfe;
