// Names for files to save that every file system accepts.
/** File systems allow 255 bytes; a letter takes up to four. */
const mostCharacters = 60;
// Windows keeps these for devices, with any extension.
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;

/** The name of a recording as that of a file, without its extension. */
export function fileName(recording: string): string {
  const name = recording
    .replace(/\.[a-z0-9]{1,5}$/iu, '')
    // eslint-disable-next-line no-control-regex -- control characters are what file systems refuse
    .replaceAll(/[<>:"/\\|?*\u0000-\u001f\u007f]+/gu, '-');
  const short = Array.from(name)
    .slice(0, mostCharacters)
    .join('')
    .replaceAll(/^[\s.]+|[\s.]+$/gu, '');
  if (short === '') return 'transcript';
  return reserved.test(short) ? `_${short}` : short;
}
