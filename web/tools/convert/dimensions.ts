import { hubNames, type Architecture } from '../../src/api/generated/whisper.js';
import { badFile, isId, type JsonObject } from './json_files.js';

export function readArchitecture(config: JsonObject, file: string): Architecture {
  const { model_type: type } = config;
  if (typeof type === 'string' && type !== 'whisper') {
    throw badFile(file, `model_type is ${JSON.stringify(type)}, not "whisper"`, 'model');
  }
  const names = Object.keys(hubNames) as (keyof Architecture)[];
  const entries = names.map((name) => {
    const value = config[hubNames[name]] ?? config[name];
    if (!isId(value) || value === 0) {
      throw badFile(file, `${hubNames[name]} is missing or no positive integer`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(entries) as Record<keyof Architecture, number>;
}
