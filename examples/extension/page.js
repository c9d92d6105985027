// An extension's page: it transcribes by itself, or asks the offscreen document or the background to.
import { loadModel } from './susurrus/dist/index.mjs';

const [where, file, text] = ['select', 'input', 'output'].map((name) =>
  document.querySelector(name),
);
let loading;

async function transcribeHere(recording) {
  loading ??= loadModel(); // the digits model; give the URL of another
  const model = await loading;
  return (await model.transcribe(recording)).text;
}

file.addEventListener('change', async () => {
  text.value = '';
  try {
    const [recording] = file.files;
    text.value =
      where.value === 'page'
        ? await transcribeHere(recording)
        : await chrome.runtime.sendMessage({
            to: where.value,
            recording: URL.createObjectURL(recording),
          });
  } catch (error) {
    text.value = String(error);
  }
});
