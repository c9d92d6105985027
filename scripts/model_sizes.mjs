// The table of sizes in docs/models.md: bytes to download and memory of each Whisper in each type, from its dimensions alone.
//
//   node scripts/model_sizes.mjs        puts it into the document; the package must be built
//
// Which tensors a model has, and of which type, is what a conversion of the digits model says; memory is what inspect() says of
// a file that has an index and no weights. Speeds are those that docs/dev/performance.md states.
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { Blob } from 'node:buffer';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WritableStream } from 'node:stream/web';
import { updatePage } from './evaluate/update_page.mjs';
import { whisper } from './facts/read_facts.mjs';
import { sizes } from './random_model.mjs';
import { isProgram, main, root } from './toolchain/steps.mjs';

export const documentPath = 'docs/models.md';
const types = ['f16', 'q8_0', 'q5_0', 'q4_0'];
/** Names in the first column, and the languages of each. */
const models = [
  ['tiny', 'tiny, tiny.en', '99; 1'],
  ['base', 'base, base.en', '99; 1'],
  ['small', 'small, small.en', '99; 1'],
  ['medium', 'medium, medium.en', '99; 1'],
  ['large-v3-turbo', 'large-v3-turbo', '100'],
  ['large-v3', 'large-v3', '100'],
];
/** What the metadata of a full Whisper take, nearly all of it the vocabulary: tiny.en's, in bytes. */
const metadataBytes = 580_000;

const dimsOf = ({ state, heads, encoderLayers, decoderLayers, melBands, languages }) => ({
  nVocab: languages === 100 ? whisper.cantoneseVocabulary : whisper.multilingualVocabulary,
  ...{ nAudioCtx: whisper.officialAudioContext, nTextCtx: whisper.officialTextContext },
  ...{ nMels: melBands, nAudioLayer: encoderLayers, nTextLayer: decoderLayers },
  ...{ nAudioHead: heads, nTextHead: heads, nAudioState: state, nTextState: state },
});

/** The tensors of a model with these dimensions, made after those of a small one. */
function tensorsLike({ dims: small, tensors }, dims) {
  const sides = new Map([
    ...['nVocab', 'nAudioCtx', 'nTextCtx', 'nMels', 'nAudioState'].map((n) => [small[n], dims[n]]),
    [4 * small.nAudioState, 4 * dims.nAudioState],
    [3, 3],
  ]);
  const layers = { encoder: dims.nAudioLayer, decoder: dims.nTextLayer };
  return tensors
    .map(({ name, dtype, shape }) => ({ name, dtype, shape: shape.map((side) => sides.get(side)) }))
    .flatMap((tensor) => {
      const [, half, layer] = /^(\w+)\.blocks\.(\d+)\./.exec(tensor.name) ?? [];
      if (half === undefined) return [tensor];
      if (layer !== '0') return [];
      return Array.from({ length: layers[half] }, (_, i) => ({
        ...tensor,
        name: tensor.name.replace('.0.', `.${i}.`),
      }));
    });
}

/** Longer than any of the files. */
const fileBytes = 2 ** 33;

/** What inspect() says of a model file of these tensors, without writing one weight. */
async function inspectIndex(susurrus, dims, tensors) {
  const pieces = [];
  const data = () => {
    throw new Error('no weights');
  };
  const stream = new WritableStream({ write: (piece) => void pieces.push(piece.slice()) });
  const model = { format: 'apr2', dims, tensors: tensors.map((tensor) => ({ ...tensor, data })) };
  await susurrus.writeModel(stream, model).catch((error) => {
    if (error.message !== 'no weights') throw error;
  });
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-sizes-'));
  try {
    const path = join(folder, 'model.apr');
    writeFileSync(path, Buffer.concat(pieces));
    truncateSync(path, fileBytes - 16); // a hole where the weights would be: it takes no room
    const footer = Buffer.from('\0\0\0\x002RPA\0\0\0\0\0\0\0\0', 'latin1');
    footer.writeBigUInt64LE(BigInt(fileBytes), 8);
    appendFileSync(path, footer);
    return await susurrus.inspect(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function converted(susurrus, source, dtype) {
  const pieces = [];
  const stream = new WritableStream({ write: (piece) => void pieces.push(piece.slice()) });
  await susurrus.convertModel(source, stream, { dtype });
  return new Blob(pieces);
}

const small = new Map();

/** What inspect() says of the digits model in this type; from f32, because what is stored in f16 would stay so. */
async function smallModel(susurrus, dtype) {
  const digits = new Blob([readFileSync(join(root, 'models/digits.apr'))]);
  const plain = await converted(susurrus, digits, 'f32');
  return susurrus.inspect(await converted(susurrus, plain, dtype));
}

/**
 * The bytes of a model's weights, in a file and in memory, and of all the memory that it takes to run.
 * @type {(dims: import('../web/src/api/types.js').Dimensions, dtype: string) => Promise<{ weights: number; memory: number }>}
 */
export async function modelBytes(dims, dtype) {
  const susurrus = await import('../dist/model_files.node.mjs');
  if (!small.has(dtype)) small.set(dtype, await smallModel(susurrus, dtype));
  const tensors = tensorsLike(small.get(dtype), dims);
  const { memory } = await inspectIndex(susurrus, dims, tensors);
  return { weights: memory.weights, memory: memory.total };
}

const rowsOf = (text) => text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));

/** Seconds for a minute of audio, with how they were measured, as docs/dev/performance.md has them; nothing where it has none. */
function speedOf(size) {
  const rows = rowsOf(readFileSync(join(root, 'docs/dev/performance.md'), 'utf8'));
  const factor = (cells, at) => {
    const seconds = 60 * Number(cells[at]);
    return seconds < 10 ? seconds.toPrecision(2) : seconds.toFixed(0);
  };
  const quick = rows.find(([, name, variant, threads]) =>
    [name, variant, threads].every((cell, i) => cell === [size, 'relaxed', '1'][i]),
  );
  if (quick) return [factor(quick, 8), ''];
  const isShared = ([, name, weights, , , where, threads], program) =>
    name === size && weights === 'q8_0' && where?.includes(program) && threads === '2';
  const shared = ['Chromium', 'Node'].flatMap((program) =>
    rows.filter((cells) => isShared(cells, program)),
  )[0];
  return ['', shared ? factor(shared, 8) : ''];
}

/**
 * The table, as Markdown.
 * @type {() => Promise<string>}
 */
export async function sizeTable() {
  const rows = [];
  for (const [size, names, languages] of models) {
    const dims = dimsOf(sizes[size]);
    const cells = [];
    for (const dtype of types) {
      const { weights, memory } = await modelBytes(dims, dtype);
      const millions = [weights + metadataBytes, memory].map((bytes) => Math.round(bytes / 1e6));
      cells.push(millions.join(' / '));
    }
    rows.push([names, languages, ...cells, ...speedOf(size)]);
  }
  const head = ['model', 'languages', ...types.map((type) => `\`${type}\``), 'fast', 'shared'];
  const rule = head.map((_, i) => (i < 2 ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

if (isProgram(import.meta)) {
  await main(async () => updatePage({ 'model sizes': await sizeTable() }, documentPath));
}
