import { readFile } from 'node:fs/promises';
import { loadModel } from 'susurrus';

// A model's name, path or URL; base is downloaded once, 82 MB.
const [recording, name = 'base'] = process.argv.slice(2);
const model = await loadModel(name);
const { text } = await model.transcribe(await readFile(recording));
console.log(text.trim());
model.dispose();
