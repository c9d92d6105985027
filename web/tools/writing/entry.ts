// What writes models from their parts, for pages a file of its own that is downloaded when somebody asks.
export { writeModelOn } from './write_model.js';
