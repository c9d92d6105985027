// A model below the package's API, where logits can be asked for token by token: the way that decoding takes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @import { Dimensions, SpecialTokens, Variant } from '../../../web/src/api/types.js' */

function check(error) {
  if (error !== '') throw new Error(error);
}

async function instantiate(dist, variant) {
  const { default: createEngine } = await import(pathToFileURL(join(dist, 'engine.mjs')).href);
  const compiled = await WebAssembly.compile(readFileSync(join(dist, `engine.${variant}.wasm`)));
  return createEngine({
    instantiateWasm(imports, receive) {
      void WebAssembly.instantiate(compiled, imports).then((instance) =>
        receive(instance, compiled),
      );
      return {};
    },
  });
}

/** A model of the folder of a built package, on one of its engines. */
export class RawModel {
  #model;

  /** @type {(dist: string, path: string, variant: Variant) => Promise<RawModel>} */
  static async load(dist, path, variant) {
    const engine = await instantiate(dist, variant);
    const loader = new engine.Loader();
    const bytes = readFileSync(path);
    loader.setByteCount(bytes.length);
    for (let at = 0; at < bytes.length;) {
      const window = loader.inputWindow(bytes.length - at);
      window.set(bytes.subarray(at, at + window.length));
      at += window.length;
      check(loader.push(window.length));
    }
    check(loader.finish());
    const model = new RawModel();
    model.#model = new engine.Model();
    check(model.#model.create(loader));
    loader.delete();
    return model;
  }

  /** @returns {{ dims: Dimensions, special: SpecialTokens, multilingual: boolean }} */
  get facts() {
    return JSON.parse(this.#model.facts());
  }

  /**
   * Hears one window of 16 kHz samples, completed with silence; returns the encoder's output, a row for each position.
   * @type {(samples: Float32Array) => Float32Array}
   */
  encode(samples) {
    const model = this.#model;
    const frames = model.windowFrames();
    const range = model.melSamples(0, frames, samples.length);
    model.sampleWindow().set(samples.subarray(range.begin, range.end));
    const zeros = frames * 160 - samples.length;
    const maximum = model.computeLogMel(range.begin, samples.length, zeros, 0, frames);
    model.normaliseMel(frames, maximum);
    model.beginEncode();
    while (!model.encodeStep(Infinity));
    return model.encoderOutput().slice();
  }

  /**
   * Unfiltered logits after `tokens`, which follow those of the last call where `appends` says so. A view until the next call.
   * @type {(tokens: readonly number[], appends: boolean) => Float32Array}
   */
  logits(tokens, appends) {
    const model = this.#model;
    model.tokenWindow(tokens.length).set(tokens);
    check(model.beginLogits(appends));
    while (!model.logitsStep(Infinity));
    return model.logits();
  }
}
