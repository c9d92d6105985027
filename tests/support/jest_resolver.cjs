// TypeScript files import each other by the name they have once compiled: './x.js' is './x.ts' here.
const { existsSync } = require('node:fs');
const { resolve } = require('node:path');

module.exports = (request, options) => {
  if (/^\.{1,2}\/.*\.js$/.test(request)) {
    const source = resolve(options.basedir, request.replace(/\.js$/, '.ts'));
    if (existsSync(source)) return source;
  }
  return options.defaultResolver(request, options);
};
