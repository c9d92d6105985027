import { loadModel } from 'susurrus';

const [file, text] = [document.querySelector('input'), document.querySelector('output')];
// 82 MB, kept for the next visit; ?model=… chooses another: a name, or the URL of a file.
const loading = loadModel(new URLSearchParams(location.search).get('model') ?? 'base');

file.addEventListener('change', async () => {
  try {
    const model = await loading;
    console.info(
      `${model.info.variant}, ${model.info.threads} threads: ${model.info.threadsReason}`,
    );
    text.value = (await model.transcribe(file.files[0])).text;
  } catch (error) {
    text.value = String(error);
  }
});
