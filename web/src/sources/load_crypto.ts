// The only way to the code that decrypts, verifies, encrypts and signs model files: in pages a bundle of its own, downloaded when it
// is first needed. Nothing that it imports may import this file.
import { importAgain } from '../platform/import_again.js';
import type * as Crypto from '../../tools/crypto/entry.js';

export const loadCrypto: () => Promise<typeof Crypto> = /* @__PURE__ */ importAgain(
  () => import('../../tools/crypto/entry.js'),
);
