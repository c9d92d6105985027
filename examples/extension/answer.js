// Answers requests of other parts of the extension that are meant for this one.
export function answerRequests(place, loadModel) {
  let loading;
  const transcribe = async (source, recording) => {
    loading ??= loadModel(source);
    const model = await loading;
    const bytes = await (await fetch(recording)).blob();
    return (await model.transcribe(bytes)).text;
  };
  chrome.runtime.onMessage.addListener(({ to, model, recording }, _sender, answer) => {
    if (to !== place) return false;
    transcribe(model, recording).then(answer, (error) => answer(String(error)));
    return true; // the answer comes later
  });
}
