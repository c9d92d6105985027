// Runs in a project's folder: two engines hear a long recording, made of the one that is the first argument, as one engine does.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { loadModel } from 'susurrus';

const wavHeader = 44;
const wav = await readFile(process.argv[2]);
const samples = new Int16Array(Uint8Array.from(wav.subarray(wavHeader)).buffer);
const long = new Int16Array(12 * samples.length);
for (let at = 0; at < long.length; at += samples.length) long.set(samples, at);

const model = await loadModel('digits', { workers: 2 });
const one = await model.transcribe(long, { workers: 1 });
const two = await model.transcribe(long, { workers: 2 });
const { workers, warnings } = model.info;
model.dispose();
const isSame = JSON.stringify(one) === JSON.stringify(two);
console.log(JSON.stringify({ workers, warnings, isSame, isCut: two.chunkCount > 1 }));
