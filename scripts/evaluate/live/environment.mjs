// A Python environment with faster-whisper, and the normaliser of openai-whisper.
//
// SUSURRUS_LIVE_PYTHON names a Python that already has them.
import { join } from 'node:path';
import { root } from '../../toolchain/steps.mjs';
import { ensurePython } from '../python_environment.mjs';

/** The path of its Python. Fails with NoReference. */
export const ensureLiveEnvironment = () =>
  ensurePython({
    name: 'live',
    requirements: [
      join(import.meta.dirname, 'requirements.txt'),
      join(root, 'scripts/reference/openai-whisper.txt'),
    ],
    variable: 'SUSURRUS_LIVE_PYTHON',
    packages: 'faster-whisper',
  });
