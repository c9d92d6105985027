import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeRandomModel } from '../../scripts/random_model.mjs';
import { susurrus } from './built_package.js';
import { projectRoot, sharedFolder } from './shared_folder.js';

export const fullSizeFolder = join(projectRoot, 'build/full_size');
/** Each size and each type once, to save time. */
export const fullSizes = [
  ['tiny', 'f16'],
  ['base', 'q8_0'],
] as const;
export type FullSize = (typeof fullSizes)[number][0];
export type FullSizeType = (typeof fullSizes)[number][1];

/** What the suites need from the shared folder. */
export const fullSizeNeeds = [
  'golden/tokenizer/multilingual.tiktoken',
  'recordings/audio/lecture.wav',
];
/** Random weights please no threshold: each window would be tried at every temperature. */
export const fullSizeOptions = { language: 'en', temperature: 0, compatibility: 'openai' } as const;
export const lecture = join(sharedFolder, 'recordings/audio/lecture.wav');

/**
 * Converts a hub folder of exact dimensions, real vocabulary and random weights; returns the path of the model file. Files
 * of an earlier run are used again unless the converter or the script changed since.
 */
export function fullSizeModel(size: FullSize, dtype: FullSizeType): string {
  const path = join(fullSizeFolder, `${size}-${dtype}.apr`);
  const makers = ['dist/engine.simd.wasm', 'dist/cli.mjs', 'scripts/random_model.mjs'];
  const newest = Math.max(...makers.map((name) => statSync(join(projectRoot, name)).mtimeMs));
  if (existsSync(path) && statSync(path).mtimeMs > newest) return path;

  mkdirSync(fullSizeFolder, { recursive: true });
  const folder = join(fullSizeFolder, `hub-${size}-${process.pid}`);
  writeRandomModel(size, join(sharedFolder, fullSizeNeeds[0]!), folder);
  try {
    susurrus('convert', folder, path, '--dtype', dtype, '--force');
  } finally {
    rmSync(folder, { recursive: true });
  }
  return path;
}

/** One line for people: what a full-size run cost. */
export function tellFigures(
  where: string,
  name: string,
  figures: { loadSeconds: number; workSeconds: number; audioSeconds: number; wasmBytes: number },
): void {
  const { loadSeconds, workSeconds, audioSeconds, wasmBytes } = figures;
  process.stderr.write(
    `  ${where}, ${name}: loaded in ${loadSeconds.toFixed(2)} s, ${audioSeconds.toFixed(0)} s of sound in ` +
      `${workSeconds.toFixed(1)} s (real-time factor ${(workSeconds / audioSeconds).toFixed(2)}), ` +
      `WebAssembly memory ${(wasmBytes / 2 ** 20).toFixed(0)} MiB\n`,
  );
}
