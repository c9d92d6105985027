// Models that are garbage although nobody disposed of them: their workers would go on for ever.

interface Closable {
  close(): void;
}

let hasWarned = false;

const forgotten = new FinalizationRegistry<Closable>((engine) => {
  engine.close();
  if (hasWarned) return;
  hasWarned = true;
  console.warn(
    'Susurrus: a model was garbage collected that nobody had disposed of. Its engine has been ended. Until then it took memory and a ' +
      'worker: call model.dispose(), or load it with `using`, when it is not needed any more.',
  );
});

/** Ends the engine, which must not refer to the model, when the model is garbage. */
export const endWhenForgotten = (model: object, engine: Closable): void =>
  forgotten.register(model, engine, model);

/** It has been disposed of. */
export const disposedOf = (model: object): void => void forgotten.unregister(model);
