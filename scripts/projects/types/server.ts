// What a program for Node uses besides, without the DOM's types.
import { readFile } from 'node:fs/promises';
import { downloadModel, type DownloadOptions } from 'susurrus/cache';
import { loadModel } from 'susurrus/node';

export async function hear(path: string): Promise<string> {
  const options: DownloadOptions = { dtype: 'q8_0' };
  const { path: pulled } = await downloadModel('tiny.en', options);
  const model = await loadModel(pulled ?? 'tiny.en');
  const { text } = await model.transcribe(await readFile(path));
  model.dispose();
  return text;
}
