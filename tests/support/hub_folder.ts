// A Whisper folder as the hub has it, small, with tensors from a seed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileListLike } from '../../web/src/api/types.js';
import { tinyDims, whisperShapes } from './tiny_whisper.js';

type NamedTensor = readonly [name: string, shape: readonly number[]];

/** F32 tensors, all of them 1/64 times their place in the file. */
export function safetensors(tensors: readonly NamedTensor[]): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const [name, shape] of tensors) {
    const end = offset + 4 * shape.reduce((product, side) => product * side, 1);
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, end] };
    offset = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const file = new Uint8Array(8 + text.length + offset);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(text, 8);
  const values = Float32Array.from({ length: offset / 4 }, (_, i) => ((i % 128) - 64) / 64);
  file.set(new Uint8Array(values.buffer), 8 + text.length);
  return file;
}

export const tinyTensors: readonly NamedTensor[] = whisperShapes(tinyDims);

export const tinyConfig = {
  model_type: 'whisper',
  vocab_size: tinyDims.n_vocab,
  num_mel_bins: tinyDims.n_mels,
  d_model: tinyDims.n_audio_state,
  encoder_layers: tinyDims.n_audio_layer,
  decoder_layers: tinyDims.n_text_layer,
  encoder_attention_heads: tinyDims.n_audio_head,
  decoder_attention_heads: tinyDims.n_text_head,
  max_source_positions: tinyDims.n_audio_ctx,
  max_target_positions: tinyDims.n_text_ctx,
};

const controls = [
  ...['endoftext', 'startoftranscript', 'en', 'translate', 'transcribe', 'startoflm'],
  ...['startofprev', 'nospeech', 'notimestamps'],
  ...Array.from({ length: 22 }, (_, i) => (i * 0.02).toFixed(2)),
].map((name) => `<|${name}|>`);

/** Letters, a space before one, and the control tokens. */
export const tinyVocabulary: Readonly<Record<string, number>> = Object.fromEntries(
  [...Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i)), 'Ġa', ...controls].map(
    (text, id) => [text, id],
  ),
);

/** Writes the files given as text, bytes or JSON; `undefined` leaves one of the usual ones out. */
export function writeHubFolder(
  folder: string,
  files: Readonly<Record<string, unknown>> = {},
): string {
  mkdirSync(folder, { recursive: true });
  const all: Record<string, unknown> = {
    'config.json': tinyConfig,
    'generation_config.json': {},
    'vocab.json': tinyVocabulary,
    'model.safetensors': safetensors(tinyTensors),
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    if (content === undefined) continue;
    const isData = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(join(folder, name), isData ? content : JSON.stringify(content));
  }
  return folder;
}

/** As a page has what was picked in an `<input webkitdirectory>`; by their paths. */
export function picked(files: Readonly<Record<string, BlobPart>>): FileListLike {
  const list = Object.entries(files).map(([path, data]) =>
    Object.defineProperty(
      new File([data], path.slice(path.lastIndexOf('/') + 1)),
      'webkitRelativePath',
      {
        value: path,
      },
    ),
  );
  return Object.assign(Object.fromEntries(list.entries()), {
    ...{ length: list.length, [Symbol.toStringTag]: 'FileList' },
    item: (index: number) => list[index] ?? null,
  });
}
