// TypeScript files import each other by the name they have once compiled: './x.js' is './x.ts' here. Emscripten modules are
// the built ones.
const { existsSync } = require('node:fs');
const { resolve } = require('node:path');

const emscriptenModules = ['./engine.mjs', './engine.threads.mjs', './networks.mjs', './files.mjs'];

module.exports = (request, options) => {
  if (emscriptenModules.includes(request)) return resolve(module.path, '../../dist', request);
  if (/^\.{1,2}\/.*\.js$/.test(request)) {
    const source = resolve(options.basedir, request.replace(/\.js$/, '.ts'));
    if (existsSync(source)) return source;
  }
  return options.defaultResolver(request, options);
};
