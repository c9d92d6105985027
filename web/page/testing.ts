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

/** The same as samples. */
export async function fixtureAudio(): Promise<Float32Array> {
  const bytes = await (await fixtureFile()).arrayBuffer();
  const header = 44;
  const values = new Int16Array(bytes, header, (bytes.byteLength - header) >> 1);
  return Float32Array.from(values, (value) => value / 32768);
}

/** The ten-word model of the package, on one thread: it needs no network and loads in a moment. */
export const loadTestModel = (options: LoadOptions = {}): Promise<Model> =>
  loadModel(undefined, { threads: 1, ...options });

/** A microphone that hears `samples` (16 kHz mono; the fixture by default) once, from its making on; in a page. */
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

/** Has getUserMedia() give fake microphones; answers what puts the real one back. */
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
