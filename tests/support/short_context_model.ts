// The golden model micro with 10 s of audio context, as golden/expected/micro/short_ctx500.json has it.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtPackage } from './built_package.js';
import { projectRoot, sharedFolder } from './shared_folder.js';

const positions = 500;
const positionsName = 'encoder.positional_embedding';

interface TensorEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** The SafeTensors file with the first rows of the encoder's positions only. */
function withFewPositions(file: Buffer): Buffer {
  const headerEnd = 8 + Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, headerEnd)) as Record<string, TensorEntry>;
  const entries: Record<string, TensorEntry> = {};
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const data = file.subarray(headerEnd + data_offsets[0], headerEnd + data_offsets[1]);
    const [rows, ...rest] = shape;
    const isCut = name === positionsName;
    const piece = isCut ? data.subarray(0, (data.length / rows!) * positions) : data;
    entries[name] = {
      dtype,
      shape: isCut ? [positions, ...rest] : shape,
      data_offsets: [offset, offset + piece.length],
    };
    offset += piece.length;
    pieces.push(piece);
  }
  const text = Buffer.from(JSON.stringify(entries));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...pieces]);
}

/** Its path, converted with f32 weights. */
export async function shortContextModel(): Promise<string> {
  const folder = join(projectRoot, 'build/test-models/micro-ctx500');
  const path = `${folder}.apr`;
  mkdirSync(folder, { recursive: true });
  const source = join(sharedFolder, 'golden/models/micro');
  cpSync(source, folder, { recursive: true });
  writeFileSync(
    join(folder, 'model.safetensors'),
    withFewPositions(readFileSync(join(source, 'model.safetensors'))),
  );
  for (const [file, key] of [
    ['dims.json', 'n_audio_ctx'],
    ['config.json', 'max_source_positions'],
  ] as const) {
    const facts = JSON.parse(readFileSync(join(source, file), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(folder, file), JSON.stringify({ ...facts, [key]: positions }));
  }
  const { convertModel } = await builtPackage();
  await convertModel(folder, path, {
    dtype: 'f32',
    compress: 'none',
    force: true,
    vocabulary: join(sharedFolder, 'golden/tokenizer/multilingual.tiktoken'),
  });
  rmSync(folder, { recursive: true });
  return path;
}
