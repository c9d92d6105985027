// Whisper as ONNX Runtime is usually given it: an encoder, the decoder's pass over the prompt, which also makes the keys
// and values of cross-attention, and its step, which takes the caches as inputs. 'int8' is the usual dynamic rewrite:
// every MatMul with weights becomes DynamicQuantizeLinear and MatMulInteger with int8 weights, one scale a tensor;
// attention's products and convolutions stay f32.
import { OnnxGraph } from './graph.mjs';

/** @import { Dims } from '../operations.mjs' */
/**
 * @typedef {(name: string) => { shape: readonly number[]; values: Float32Array }} TensorSource
 */
/**
 * @typedef {(
 *   tensor: TensorSource,
 *   dims: Dims,
 *   precision: 'fp32' | 'int8',
 * ) => readonly Uint8Array[]} Network
 */

const epsilon = 1e-5;
const headSize = 64;

/** Tokens of the prompt that the decoder's first pass takes. */
export const promptTokens = 4;

function transposed({ shape: [rows, columns], values }) {
  const result = new Float32Array(values.length);
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      result[column * rows + row] = values[row * columns + column];
    }
  }
  return { dims: [columns, rows], values: result };
}

/**
 * Symmetric int8 with one scale.
 * @type {(values: Float32Array) => { scale: number; values: Int8Array }}
 */
export function quantised(values) {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const scale = largest / 127 || 1;
  return { scale, values: Int8Array.from(values, (value) => Math.round(value / scale)) };
}

/** The layers that all three networks are made of. `tensor`: name to {shape, values}, with the hub's names. */
class Layers {
  #quantisedInputs = new Map();

  constructor(name, tensor, precision) {
    this.graph = new OnnxGraph(name);
    this.tensor = tensor;
    this.isInt8 = precision === 'int8';
  }

  weight(name) {
    return this.graph.constant(name, () => {
      const { shape, values } = this.tensor(name);
      return { dims: shape, values };
    });
  }
  add(a, b) {
    return this.graph.node('Add', [a, b]);
  }

  /** x · weightᵀ, and the bias where there is one. */
  linear(x, name, hasBias = true) {
    const product = this.isInt8
      ? this.int8Product(x, `${name}.weight`)
      : this.graph.node('MatMul', [
          x,
          this.graph.constant(`${name}.weight transposed`, () =>
            transposed(this.tensor(`${name}.weight`)),
          ),
        ]);
    return hasBias ? this.add(product, this.weight(`${name}.bias`)) : product;
  }
  int8Product(x, name) {
    const { graph } = this;
    if (!this.#quantisedInputs.has(x)) {
      this.#quantisedInputs.set(x, graph.node('DynamicQuantizeLinear', [x], {}, 3));
    }
    const [input, inputScale, inputZero] = this.#quantisedInputs.get(x);
    let scale;
    const weight = graph.constant(`${name} int8`, () => {
      const { dims, values } = transposed(this.tensor(name));
      const result = quantised(values);
      scale = result.scale;
      return { dims, values: result.values };
    });
    const weightScale = graph.constant(`${name} scale`, () => ({
      dims: [],
      values: Float32Array.of(scale),
    }));
    const weightZero = graph.constant('int8 zero', () => ({ dims: [], values: Int8Array.of(0) }));
    const sums = graph.node('MatMulInteger', [input, weight, inputZero, weightZero]);
    const floats = graph.node('Cast', [sums], { to: { integer: 1 } });
    return graph.node('Mul', [floats, graph.node('Mul', [inputScale, weightScale])]);
  }

  norm(x, name) {
    const { graph } = this;
    const mean = graph.node('ReduceMean', [x], { axes: [-1] });
    const centred = graph.node('Sub', [x, mean]);
    const squares = graph.node('Pow', [centred, graph.scalar(2)]);
    const variance = graph.node('ReduceMean', [squares], { axes: [-1] });
    const deviation = graph.node('Sqrt', [this.add(variance, graph.scalar(epsilon))]);
    const normed = graph.node('Div', [centred, deviation]);
    const scaled = graph.node('Mul', [normed, this.weight(`${name}.weight`)]);
    return this.add(scaled, this.weight(`${name}.bias`));
  }
  gelu(x) {
    const { graph } = this;
    const erf = graph.node('Erf', [graph.node('Div', [x, graph.scalar(Math.SQRT2)])]);
    const weighted = graph.node('Mul', [x, this.add(erf, graph.scalar(1))]);
    return graph.node('Mul', [weighted, graph.scalar(0.5)]);
  }
  mlp(x, name) {
    const normed = this.norm(x, `${name}.final_layer_norm`);
    return this.add(x, this.linear(this.gelu(this.linear(normed, `${name}.fc1`)), `${name}.fc2`));
  }

  /** [1, rows, state] to [1, heads, rows, 64]. */
  heads(x) {
    const { graph } = this;
    const split = graph.node('Reshape', [x, graph.integers(1, -1, this.headCount, headSize)]);
    return graph.node('Transpose', [split], { perm: [0, 2, 1, 3] });
  }
  query(x, name) {
    const query = this.linear(x, `${name}.q_proj`);
    return this.heads(this.graph.node('Mul', [query, this.graph.scalar(headSize ** -0.5)]));
  }
  key(x, name) {
    return this.heads(this.linear(x, `${name}.k_proj`, false));
  }
  value(x, name) {
    return this.heads(this.linear(x, `${name}.v_proj`));
  }
  /** `mask` is added to the scores. */
  attention(query, key, value, name, mask) {
    const { graph } = this;
    const turned = graph.node('Transpose', [key], { perm: [0, 1, 3, 2] });
    let scores = graph.node('MatMul', [query, turned]);
    if (mask) scores = this.add(scores, mask);
    const shares = graph.node('Softmax', [scores], { axis: { integer: -1 } });
    const mixed = graph.node('MatMul', [shares, value]);
    const joined = graph.node('Transpose', [mixed], { perm: [0, 2, 1, 3] });
    const state = this.headCount * headSize;
    const rows = graph.node('Reshape', [joined, graph.integers(1, -1, state)]);
    return this.linear(rows, `${name}.out_proj`);
  }
}

/**
 * mel [1, bands, frames] → states [1, positions, state].
 * @type {Network}
 */
export function encoderNetwork(tensor, dims, precision) {
  const layers = new Layers('encoder', tensor, precision);
  const { graph } = layers;
  const { nMels, nAudioCtx, nAudioState, nAudioLayer } = dims;
  layers.headCount = nAudioState / headSize;
  const convolution = (x, name, stride) =>
    layers.gelu(
      graph.node('Conv', [x, layers.weight(`${name}.weight`), layers.weight(`${name}.bias`)], {
        kernel_shape: [3],
        pads: [1, 1],
        strides: [stride],
      }),
    );
  const mel = graph.input('mel', 'float', [1, nMels, 2 * nAudioCtx]);
  const audio = convolution(convolution(mel, 'encoder.conv1', 1), 'encoder.conv2', 2);
  let x = layers.add(
    graph.node('Transpose', [audio], { perm: [0, 2, 1] }),
    layers.weight('encoder.embed_positions.weight'),
  );
  for (let i = 0; i < nAudioLayer; ++i) {
    const name = `encoder.layers.${i}`;
    const self = `${name}.self_attn`;
    const normed = layers.norm(x, `${self}_layer_norm`);
    const heads = ['query', 'key', 'value'].map((part) => layers[part](normed, self));
    x = layers.mlp(layers.add(x, layers.attention(...heads, self)), name);
  }
  const states = layers.norm(x, 'encoder.layer_norm');
  graph.output(states, 'states', 'float', [1, nAudioCtx, nAudioState]);
  return graph.finish();
}

/** What the decoder's two networks share. `caches(layer, normed)` returns both attentions' keys and values. */
function decoderNetwork(layers, dims, tokens, positions, mask, caches) {
  const { graph } = layers;
  const { nVocab, nTextState, nTextLayer } = dims;
  const embedding = 'decoder.embed_tokens.weight';
  let x = layers.add(
    embeddingRows(layers, embedding, tokens),
    graph.node('Gather', [layers.weight('decoder.embed_positions.weight'), positions]),
  );
  for (let i = 0; i < nTextLayer; ++i) {
    const name = `decoder.layers.${i}`;
    const self = `${name}.self_attn`;
    const cross = `${name}.encoder_attn`;
    const normed = layers.norm(x, `${self}_layer_norm`);
    const own = caches.self(i, layers.key(normed, self), layers.value(normed, self));
    x = layers.add(x, layers.attention(layers.query(normed, self), ...own, self, mask));
    const query = layers.query(layers.norm(x, `${cross}_layer_norm`), cross);
    x = layers.add(x, layers.attention(query, ...caches.cross(i, cross), cross));
    x = layers.mlp(x, name);
  }
  const last = graph.node('Gather', [x, graph.integers(-1)], { axis: { integer: 1 } });
  const normed = layers.norm(last, 'decoder.layer_norm');
  // The output matrix is the embedding.
  const logits = layers.linear(normed, embedding.replace(/\.weight$/, ''), false);
  graph.output(logits, 'logits', 'float', [1, 1, nVocab]);
  const outputCache = (kind, rows) => (layer, key, value) =>
    [key, value].forEach((cache, i) =>
      graph.output(cache, cacheName(kind, layer, i), 'float', [
        ...[1, nTextState / headSize, rows, headSize],
      ]),
    );
  return outputCache;
}

/** In int8 the embedding is int8 too, as the usual rewrite leaves it. */
function embeddingRows(layers, name, tokens) {
  const { graph } = layers;
  if (!layers.isInt8) return graph.node('Gather', [layers.weight(name), tokens]);
  let scale;
  const rows = graph.constant(`${name} rows int8`, () => {
    const { shape, values } = layers.tensor(name);
    const result = quantised(values);
    scale = result.scale;
    return { dims: shape, values: result.values };
  });
  const rowScale = graph.constant(`${name} rows scale`, () => ({
    dims: [],
    values: Float32Array.of(scale),
  }));
  return graph.node('DequantizeLinear', [graph.node('Gather', [rows, tokens]), rowScale]);
}

const cacheName = (kind, layer, part) => `${kind}.${layer}.${part === 0 ? 'key' : 'value'}`;

/**
 * tokens [1, 4], states → logits [1, 1, vocabulary] of the last token, self.N.key and .value [1, heads, 4, 64], and
 * cross.N.key and .value [1, heads, positions, 64].
 * @type {Network}
 */
export function promptNetwork(tensor, dims, precision) {
  const layers = new Layers('prompt', tensor, precision);
  const { graph } = layers;
  const { nAudioCtx, nAudioState, nTextState } = dims;
  layers.headCount = nTextState / headSize;
  const tokens = graph.input('tokens', 'int64', [1, promptTokens]);
  const states = graph.input('states', 'float', [1, nAudioCtx, nAudioState]);
  const positions = graph.integers(...Array(promptTokens).keys());
  const mask = graph.constant('mask', () => ({
    dims: [promptTokens, promptTokens],
    values: Float32Array.from({ length: promptTokens ** 2 }, (_, i) =>
      i % promptTokens > Math.floor(i / promptTokens) ? -1e9 : 0,
    ),
  }));
  const made = [];
  const keep = (kind, layer, key, value) => {
    made.push([kind, layer, key, value]);
    return [key, value];
  };
  const outputCache = decoderNetwork(layers, dims, tokens, positions, mask, {
    self: (layer, key, value) => keep('self', layer, key, value),
    cross: (layer, name) =>
      keep('cross', layer, layers.key(states, name), layers.value(states, name)),
  });
  for (const [kind, ...cache] of made) {
    outputCache(kind, kind === 'self' ? promptTokens : nAudioCtx)(...cache);
  }
  return graph.finish();
}

/**
 * tokens [1, 1], position [1], past.N.key and .value [1, heads, past, 64], cross.N.key and .value → logits, self.N.key and
 * .value with one row more.
 * @type {Network}
 */
export function stepNetwork(tensor, dims, precision) {
  const layers = new Layers('step', tensor, precision);
  const { graph } = layers;
  const { nAudioCtx, nTextState } = dims;
  const headCount = (layers.headCount = nTextState / headSize);
  const tokens = graph.input('tokens', 'int64', [1, 1]);
  const position = graph.input('position', 'int64', [1]);
  const input = (kind, layer, part, rows) =>
    graph.input(cacheName(kind, layer, part), 'float', [1, headCount, rows, headSize]);
  const made = [];
  const outputCache = decoderNetwork(layers, dims, tokens, position, undefined, {
    self: (layer, ...fresh) => {
      const grown = fresh.map((rows, part) =>
        graph.node('Concat', [input('past', layer, part, 'past'), rows], { axis: { integer: 2 } }),
      );
      made.push([layer, ...grown]);
      return grown;
    },
    cross: (layer) => [0, 1].map((part) => input('cross', layer, part, nAudioCtx)),
  });
  for (const cache of made) outputCache('self', 'rows')(...cache);
  return graph.finish();
}
