import process from 'node:process';
import { readFile } from 'node:fs/promises';
import { loadModel } from 'susurrus';

const model = await loadModel(); // the digits model; give a path or the URL of another
const { text } = await model.transcribe(await readFile(process.argv.at(-1)));
console.log(text.trim());
model.dispose();
