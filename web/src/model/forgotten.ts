// Ends models and streams that are garbage-collected without being closed; otherwise their memory in a worker would never be freed.

interface Closable {
  close(): void;
}

const lossOf = {
  model:
    'a model was garbage collected that nobody had disposed of. Its engine has been ended. Until then it took memory and a ' +
    'worker: call model.dispose(), or load it with `using`, when it is not needed any more.',
  stream:
    'a stream was garbage collected that nobody had closed. It has been ended. Until then it took memory of its model: call ' +
    'stream.close(), or open it with `await using`, when it is not needed any more.',
};
type Kind = keyof typeof lossOf;

const hasWarned = new Set<Kind>();

const forgotten = new FinalizationRegistry<readonly [Closable, Kind]>(([owned, kind]) => {
  owned.close();
  if (hasWarned.has(kind)) return;
  hasWarned.add(kind);
  console.warn(`Susurrus: ${lossOf[kind]}`);
});

/** Closes `owned` when `owner` is garbage-collected. `owned` must not refer to `owner`. */
export const endWhenForgotten = (owner: object, owned: Closable, kind: Kind = 'model'): void =>
  forgotten.register(owner, [owned, kind], owner);

/** Call when `owner` has been disposed of. */
export const disposedOf = (owner: object): void => void forgotten.unregister(owner);
