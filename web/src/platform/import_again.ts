// Code that is loaded when it is first wanted: a network that fails once must not leave a page without it for good.

/** As browsers' messages name what they could not load; WebKit's names nothing. */
const addressIn = (error: unknown): string | undefined =>
  /\bhttps?:\/\/\S+/.exec(error instanceof TypeError ? error.message : '')?.[0];

type Import = (address: string) => Promise<unknown>;

const importFrom: Import = (address) =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ address);

/**
 * Makes of an `import()` one that tries a second time where it fails. Firefox, as the specification says, keeps a failure as long as the
 * page lives, so the second try takes the address that the failure names with `?again=1`, a later call with `?again=2`. What came by such
 * an address is kept: a module is never there twice.
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
