/**
 * For tests of pages and programs that use this package.
 * @module susurrus/testing
 */
import { loadModel } from '../src/index.js';
import type { LoadOptions, Model } from '../src/index.js';
import { readFixture } from './fixture.js';

/** What the fixture says, as the ten-word model writes it. */
export const fixtureText = 'three one four one five nine two six five';

/** A spoken row of digits: the bytes of a WAV file, 9 s, 16 kHz mono. */
export const fixtureFile = (): Promise<Blob> => readFixture();

/** The samples of fixtureFile(). */
export async function fixtureAudio(): Promise<Float32Array> {
  const bytes = await (await fixtureFile()).arrayBuffer();
  const header = 44;
  const values = new Int16Array(bytes, header, (bytes.byteLength - header) >> 1);
  return Float32Array.from(values, (value) => value / 32768);
}

/** The ten-word model of the package, `'digits'`, on one thread: it needs no network and loads in a moment. */
export const loadTestModel = (options: LoadOptions = {}): Promise<Model> =>
  loadModel('digits', { threads: 1, ...options });

/**
 * Samples as a microphone would give them: 100 ms at a time, `speed` times as fast as they are. For listen() and for `model.stream()`;
 * tell them the rate: `{ stream: paced(samples, 8000), sampleRate: 8000 }`.
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

/** A fake microphone for pages, which plays `samples` (16 kHz mono; the fixture by default) once, from its creation. */
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

/** Makes getUserMedia() return fake microphones; returns a function that restores the real one. */
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
