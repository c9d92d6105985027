/**
 * Helpers for tests of pages and programs that use this package.
 * @module susurrus/testing
 */
import { loadModel } from '../src/index.js';
import type { LoadOptions, Model } from '../src/index.js';
import { readFixture } from './fixture.js';

/** The words of the fixture, as the ten-word model transcribes them. */
export const fixtureText = 'three one four one five nine two six five';

/**
 * Returns a recording of spoken digits: a WAV file, 9 s, 16 kHz mono.
 *
 * @throws An Error, not as loadModel() a SusurrusError, if the package's file `digits.wav` cannot be read.
 * @example
 * ```js
 * const model = await loadTestModel();
 * const { text } = await model.transcribe(await fixtureFile());
 * console.log(text === fixtureText);
 * ```
 */
export const fixtureFile = (): Promise<Blob> => readFixture();

/**
 * Returns the samples of fixtureFile().
 *
 * @throws An Error as fixtureFile().
 * @example
 * ```js
 * const samples = await fixtureAudio();
 * console.log(samples.length / 16000);
 * ```
 */
export async function fixtureAudio(): Promise<Float32Array> {
  const bytes = await (await fixtureFile()).arrayBuffer();
  const header = 44;
  const values = new Int16Array(bytes, header, (bytes.byteLength - header) >> 1);
  return Float32Array.from(values, (value) => value / 32768);
}

/**
 * Loads the package's ten-word model, `'digits'`, on one thread: it needs no network and loads in milliseconds.
 *
 * @throws SusurrusError as loadModel().
 * @example
 * ```js
 * const model = await loadTestModel();
 * console.log(model.info.format);
 * model.dispose();
 * ```
 */
export const loadTestModel = (options: LoadOptions = {}): Promise<Model> =>
  loadModel('digits', { threads: 1, ...options });

/**
 * Yields samples as a microphone would, 100 ms at a time, `speed` times as fast as real time. For listen() and `model.stream()`; pass
 * them the same rate.
 *
 * @example
 * ```js
 * const stream = paced(await fixtureAudio(), 16000, 10);
 * for await (const piece of stream) await live.feed(piece);
 * ```
 */
export async function* paced(
  samples: Float32Array,
  sampleRate = 16000,
  speed = 1,
): AsyncGenerator<Float32Array> {
  const piece = Math.max(1, Math.round(sampleRate / 10));
  const begun = performance.now();
  for (let at = 0; at < samples.length; at += piece) {
    const end = Math.min(samples.length, at + piece);
    const due = begun + (1000 * end) / sampleRate / speed;
    await new Promise((done) => setTimeout(done, due - performance.now()));
    yield samples.slice(at, end);
  }
}

/**
 * Returns a fake microphone for pages, which plays `samples` (16 kHz mono; the fixture by default) once, from its creation.
 *
 * @throws A DOMException if the browser cannot play them.
 * @example
 * ```js
 * const stream = await fakeMicrophone();
 * console.log(stream.getAudioTracks().length);
 * ```
 */
export async function fakeMicrophone(samples?: Float32Array): Promise<MediaStream> {
  const heard = samples ?? (await fixtureAudio());
  const context = new AudioContext();
  await context.resume();
  const buffer = context.createBuffer(1, Math.max(1, heard.length), 16000);
  buffer.copyToChannel(Float32Array.from(heard), 0);
  const player = new AudioBufferSourceNode(context, { buffer });
  const ear = context.createMediaStreamDestination();
  player.connect(ear);
  player.start();
  for (const track of ear.stream.getTracks()) {
    const stop = track.stop.bind(track);
    track.stop = () => {
      stop();
      if (context.state !== 'closed') void context.close();
    };
  }
  return ear.stream;
}

/**
 * Makes getUserMedia() return fake microphones. Returns a function that restores the original.
 *
 * @example
 * ```js
 * const restore = installFakeMicrophone();
 * const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
 * console.log(stream.active);
 * restore();
 * ```
 */
export function installFakeMicrophone(samples?: Float32Array): () => void {
  const { mediaDevices } = navigator;
  const own = Object.getOwnPropertyDescriptor(mediaDevices, 'getUserMedia');
  Object.defineProperty(mediaDevices, 'getUserMedia', {
    configurable: true,
    value: () => fakeMicrophone(samples),
  });
  return () => {
    if (own) Object.defineProperty(mediaDevices, 'getUserMedia', own);
    else Reflect.deleteProperty(mediaDevices, 'getUserMedia');
  };
}
