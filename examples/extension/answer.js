// Answers requests of other parts of the extension that are meant for this one.
export function answerRequests(place, loadModel) {
  let loading;
  const hear = async (recording) => {
    loading ??= loadModel(); // the digits model; give the URL of another
    const model = await loading;
    const bytes = await (await fetch(recording)).blob();
    return (await model.transcribe(bytes)).text;
  };
  chrome.runtime.onMessage.addListener(({ to, recording }, _sender, answer) => {
    if (to !== place) return false;
    hear(recording).then(answer, (error) => answer(String(error)));
    return true; // the answer comes later
  });
}
