// What jest's `--findRelatedTests` takes for an import: types as well, since suites of the built package import the types of the
// source that it is built from.
const types = /^import type [^;]*? from '([^']+)';$/gm;

module.exports = {
  extract(code, _path, extractImports) {
    const found = extractImports(code);
    for (const [, name] of code.matchAll(types)) found.add(name);
    return found;
  },
  getCacheKey: () => 'types too',
};
