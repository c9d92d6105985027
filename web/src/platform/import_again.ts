// Loads code on demand, so that one failed request does not disable it for the life of the page.

/** As browsers' messages name what they could not load; WebKit's names nothing. */
const addressIn = (error: unknown): string | undefined =>
  /\bhttps?:\/\/\S+/.exec(error instanceof TypeError ? error.message : '')?.[0];

type Import = (address: string) => Promise<unknown>;

const importFrom: Import = (address) =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ address);

/**
 * Returns an `import()` that tries a second time if it fails. Firefox caches a failed import for the life of the page, as the specification
 * demands, so the second try appends `?again=1` to the URL in the error, and later calls `?again=2` and so on. The first module that loads is
 * cached, so that it is never evaluated twice.
 */
export function importAgain<Module>(
  load: () => Promise<Module>,
  importAt: Import = importFrom,
): () => Promise<Module> {
  let tries = 0;
  let loaded: Promise<Module> | undefined;
  const tryAgain = async (failure: unknown): Promise<Module> => {
    const address = addressIn(failure);
    if (address === undefined) return load();
    const other = new URL(address);
    other.searchParams.set('again', String(++tries));
    return (await importAt(other.href)) as Module;
  };
  return () => {
    loaded ??= load()
      .catch(tryAgain)
      .catch((error: unknown) => {
        loaded = undefined;
        throw error;
      });
    return loaded;
  };
}
