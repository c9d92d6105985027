// A recording through so many engines, in a process or a page of its own.

/**
 * job: {model, recording (paths), threads, workers}. Seconds until the model is loaded, and from the call to the first text and to
 * the last.
 */
export async function measureEngines({ model: path, recording, threads, workers }, place) {
  const { loadModel } = await place.importModule(place.packageEntry);
  const audio = await place.recording(recording);
  const seconds = () => performance.now() / 1000;
  const begin = seconds();
  const model = await loadModel(place.address(path), { threads, workers });
  try {
    const loaded = seconds();
    let first;
    const call = model.transcribe(audio, { workers });
    for await (const { text } of call) if (text) first ??= seconds();
    const { segments } = await call;
    return {
      ...{ load: loaded - begin, first: first - loaded, whole: seconds() - loaded },
      ...{ text: segments.map(({ text }) => text).join(''), variant: model.info.variant },
    };
  } finally {
    model.dispose();
  }
}
