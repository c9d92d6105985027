import { loadModel } from 'susurrus';

const [file, text] = [document.querySelector('input'), document.querySelector('output')];
const loading = loadModel(); // the digits model; give the URL of another

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
