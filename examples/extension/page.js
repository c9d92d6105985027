// An extension's page: it transcribes by itself, or asks the offscreen document or the background to.
import { loadModel } from './susurrus/dist/index.mjs';

const [where, file, text] = ['select', 'input', 'output'].map((name) =>
  document.querySelector(name),
);
// A file of the extension, such as `susurrus pull base --output models/base.apr` makes, works in all three places.
const model =
  new URLSearchParams(location.search).get('model') ?? chrome.runtime.getURL('models/base.apr');
let loading;

async function transcribeHere(recording) {
  loading ??= loadModel(model);
  return (await (await loading).transcribe(recording)).text;
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
            model,
            recording: URL.createObjectURL(recording),
          });
  } catch (error) {
    text.value = String(error);
  }
});
