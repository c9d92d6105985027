import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { builtPackage } from './built_package.js';
import type { GoldenModel } from './goldens.js';
import { projectRoot, sharedFolder } from './shared_folder.js';

export type TestModel = GoldenModel | 'digits';

const vocabularies: Record<GoldenModel, string> = {
  micro: 'golden/tokenizer/multilingual.tiktoken',
  'micro-en': 'golden/tokenizer/gpt2.tiktoken',
  'micro-v3-turbo': 'golden/tokenizer/multilingual.tiktoken',
};

/** The path of a golden model's rank file. */
export const vocabularyOf = (name: GoldenModel): string => join(sharedFolder, vocabularies[name]);

/**
 * A model of the shared folder with f32 weights, converted by our converter; its path. The file of an earlier run is used
 * again unless the converter changed since.
 */
export async function testModel(name: TestModel): Promise<string> {
  const path = join(projectRoot, `build/test-models/${name}.apr`);
  const made = existsSync(path) ? statSync(path).mtimeMs : 0;
  const makers = ['dist/engine.simd.wasm', 'dist/node.mjs'];
  if (makers.every((maker) => statSync(join(projectRoot, maker)).mtimeMs < made)) return path;

  mkdirSync(join(projectRoot, 'build/test-models'), { recursive: true });
  const folder = name === 'digits' ? 'digits-model/model' : `golden/models/${name}`;
  const { convertModel } = await builtPackage();
  await convertModel(join(sharedFolder, folder), path, {
    dtype: 'f32',
    compress: 'none',
    force: true,
    ...(name === 'digits' ? {} : { vocabulary: vocabularyOf(name) }),
  });
  return path;
}
