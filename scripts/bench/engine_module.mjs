/** An instance of an Emscripten module: its script and its code by their paths from the project's folder. */
export async function createEngineModule(place, script, code) {
  const { default: create } = await place.importModule(script);
  const compiled = await WebAssembly.compile(await place.read(code));
  return create({
    instantiateWasm(imports, receive) {
      WebAssembly.instantiate(compiled, imports).then((instance) => receive(instance, compiled));
      return {};
    },
  });
}
