// A Python environment with pyannote.metrics, which scores speakers, and what renders the conversations.
//
// SUSURRUS_SCORING_PYTHON names a Python that already has pyannote.metrics and soundfile.
import { join } from 'node:path';
import { ensurePython } from '../python_environment.mjs';

/** The path of its Python. Fails with NoReference. */
export const ensureScoringEnvironment = () =>
  ensurePython({
    name: 'scoring',
    requirements: [join(import.meta.dirname, 'requirements.txt')],
    variable: 'SUSURRUS_SCORING_PYTHON',
    packages: 'pyannote.metrics',
  });
