// TypeScript files import each other by the name they have once compiled: './x.js' is './x.ts' here. The engine's glue is
// the built one.
const { existsSync } = require('node:fs');
const { resolve } = require('node:path');

const glue = resolve(module.path, '../../dist/engine.mjs');

module.exports = (request, options) => {
  if (request === './engine.mjs') return glue;
  if (/^\.{1,2}\/.*\.js$/.test(request)) {
    const source = resolve(options.basedir, request.replace(/\.js$/, '.ts'));
    if (existsSync(source)) return source;
  }
  return options.defaultResolver(request, options);
};
