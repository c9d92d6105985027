// Writing of models from parts: in pages a separate bundle, downloaded on demand.
export { writeModelOn } from './write_model.js';
