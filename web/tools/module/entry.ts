// openModule() in a page: a bundle of its own, downloaded on demand.
export { openModuleOn } from './open_module.js';
