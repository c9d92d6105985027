// Speech made by flite and espeak-ng: the same bytes for the same text, voice and speed. Kept in build/evaluate/speech.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findOnPath, root, StepError } from '../../toolchain/steps.mjs';
import { wavSamples } from '../../wav_samples.mjs';

const folder = join(root, 'build/evaluate/speech');

/** Words a minute of espeak-ng at speed 1. */
const wordsPerMinute = 160;

/** espeak-ng answers at its own rate, so sox resamples, without dither (-D) to stay repeatable. */
const commands = {
  flite: (voice, speed, text, wav) => [
    ['flite', '-voice', voice, '--setf', `duration_stretch=${1 / speed}`, '-f', text, '-o', wav],
  ],
  'espeak-ng': (voice, speed, text, wav) => [
    ['espeak-ng', '-v', voice, '-s', `${speed * wordsPerMinute}`, '-f', text, '-w', `${wav}.raw`],
    ['sox', '-D', '-t', 'wav', `${wav}.raw`, '-r', '16000', '-b', '16', '-t', 'wav', wav],
  ],
};

/** Fails with the names of the packages that are missing. */
export function needSynthesis() {
  const missing = ['flite', 'espeak-ng', 'sox'].filter((name) => !findOnPath(name));
  if (missing.length === 0) return;
  throw new StepError(
    `The evaluation's speech is made by programs that are missing here: ${missing.join(', ')}.`,
    `Debian and Ubuntu have them: apt-get install ${missing.join(' ')}`,
  );
}

/**
 * Samples of 16 kHz of `text` as `voice` (the program and its voice, "flite slt") says it, `speed` times its usual pace.
 * @type {(text: string, voice: string, speed: number) => Float32Array}
 */
export function spoken(text, voice, speed) {
  const [program, name] = voice.split(' ');
  const key = createHash('sha256').update(JSON.stringify([text, voice, speed, wordsPerMinute]));
  const path = join(folder, `${key.digest('hex').slice(0, 24)}.wav`);
  if (!existsSync(path)) {
    needSynthesis();
    mkdirSync(folder, { recursive: true });
    const work = mkdtempSync(join(folder, 'new-'));
    const [textPath, wavPath] = [join(work, 'text'), join(work, 'wav')];
    writeFileSync(textPath, `${text}\n`);
    for (const [command, ...args] of commands[program](name, speed, textPath, wavPath)) {
      const { status, error, stderr } = spawnSync(command, args);
      if (status !== 0) throw new StepError(`${command} failed: ${error?.message ?? stderr}`);
    }
    renameSync(wavPath, path);
    rmSync(work, { recursive: true });
  }
  return wavSamples(readFileSync(path));
}
