// What a program for Node uses besides, without the DOM's types.
import { readFile } from 'node:fs/promises';
import { loadModel, pullModel, type PullOptions } from 'susurrus/node';

export async function hear(path: string): Promise<string> {
  const options: PullOptions = { dtype: 'q8_0' };
  const { path: pulled } = await pullModel('tiny.en', options);
  const model = await loadModel(pulled);
  const { text } = await model.transcribe(await readFile(path));
  model.dispose();
  return text;
}
