// Compressed files in Node: decoded by a package, then resampled and mixed by the engine.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { decodedAudio } from '../support/decoded_audio.js';
import { convertAudio, signalToNoise, sixteenBit } from '../support/convert_audio.js';
import { engineModule } from '../support/engine_module.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';

const recordings = join(sharedFolder, 'recordings/audio');

describeWithShared(['recordings/audio/jfk.flac'], 'FLAC', () => {
  test('44.1 kHz stereo agrees with what the reference made of it', async () => {
    const {
      samples: interleaved,
      sampleRate,
      channels,
    } = await decodedAudio(readFileSync(join(recordings, 'jfk.flac')));
    expect([sampleRate, channels]).toEqual([44100, 2]);
    const module = await engineModule();
    const { samples, error } = convertAudio(module, { interleaved, sampleRate, channels: 2 });
    expect(error).toBeUndefined();
    const expected = sixteenBit(readFileSync(join(recordings, 'jfk.wav')), 44);
    expect(Math.abs(samples.length - expected.length)).toBeLessThanOrEqual(2);
    expect(signalToNoise(expected, samples)).toBeGreaterThanOrEqual(50);
  });

  test('the command line makes the same text of it as of the WAV file', () => {
    const transcribe = (name: string): string =>
      execFileSync(
        process.execPath,
        [join(projectRoot, 'dist/cli.mjs'), 'transcribe', join(recordings, name)],
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
      );
    expect(transcribe('jfk.flac')).toBe(transcribe('jfk.wav'));
  });
});

describe('other files', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  test('what is no audio is refused', async () => {
    await expect(decodedAudio(bytes('<!doctype html>'))).rejects.toMatchObject({
      code: 'unsupported_feature',
      details: { reason: 'bad_audio' },
    });
  });

  test('a FLAC file without sound is an error', async () => {
    await expect(decodedAudio(bytes('fLaC and nothing more'))).rejects.toMatchObject({
      details: { subject: 'audio' },
    });
  });
});
