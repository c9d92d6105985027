// WAV files of every kind, as the reference reads them (ffmpeg to 16 kHz mono), through the engine's converter.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { MainModule } from '../../web/src/engine/engine.mjs';
import { convertAudio, signalToNoise, sixteenBit } from '../support/convert_audio.js';
import { engineModule } from '../support/engine_module.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

interface OddFile {
  readonly file: string;
  readonly reference: 'ok' | 'error';
  readonly n_samples_16k?: number;
  readonly pcm16k?: string | null;
  readonly probe?: { readonly sample_rate?: string };
}

const golden = join(sharedFolder, 'golden');
const listPath = join(golden, 'expected/audio_odd.json');
const files = existsSync(listPath)
  ? Object.entries(JSON.parse(readFileSync(listPath, 'utf8')) as Record<string, OddFile>)
  : [];
const readable = files.filter(
  ([name, { reference }]) => reference === 'ok' && name !== 'ima_adpcm_16k',
);
const broken = files.filter(([name]) => name.startsWith('bad_'));

/** Bytes of an .npy header of version 1. */
const npyHeaderBytes = (npy: Uint8Array): number => 10 + npy[8]! + 256 * npy[9]!;

describeWithShared(['golden/expected/audio_odd.json'], 'odd WAV files', () => {
  let module: MainModule;
  beforeAll(async () => {
    module = await engineModule();
  });
  const convert = (file: string) => convertAudio(module, { wav: readFileSync(join(golden, file)) });

  test('there are as many as the list has', () => {
    expect(readable.length).toBeGreaterThanOrEqual(25);
    expect(broken.length).toBeGreaterThanOrEqual(5);
  });

  test.each(readable)('%s', (_, { file, n_samples_16k, pcm16k, probe }) => {
    const { samples, error } = convert(file);
    expect(error).toBeUndefined();
    expect(samples.every(Number.isFinite)).toBe(true);
    expect(Math.abs(samples.length - n_samples_16k!)).toBeLessThanOrEqual(2);
    if (pcm16k == null) return;
    const npy = readFileSync(join(golden, pcm16k));
    const expected = sixteenBit(npy, npyHeaderBytes(npy));
    if (probe?.sample_rate === '16000') {
      const worst = expected.reduce(
        (most, value, i) => Math.max(most, Math.abs(value - samples[i]!)),
        0,
      );
      expect(worst).toBeLessThanOrEqual(1.01 / 32768);
    } else {
      expect(signalToNoise(expected, samples, 16)).toBeGreaterThanOrEqual(30);
    }
  });

  test.each(broken)('%s is an error that says where', (_, { file }) => {
    const { error } = convert(file);
    expect(error).toMatchObject({
      code: expect.stringMatching(
        /^(malformed|truncated_input|unsupported_feature|unknown_format)$/,
      ) as unknown,
      reason: 'bad_audio',
      subject: expect.stringMatching(/./) as unknown,
    });
  });
});
