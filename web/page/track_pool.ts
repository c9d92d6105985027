// Text tracks of media elements: an element never loses one that a script has added, so those that were removed serve again.

/** What a track is, besides its cues. */
export interface TrackFacts {
  readonly kind: 'captions' | 'subtitles';
  readonly label: string;
  readonly language: string;
}

/** The language of a track for an option `language`: a tag. Empty where the option is a name, or has the language detected. */
export const trackLanguage = (language = ''): string =>
  /^(?!per-)[a-z]{2,3}([-_]|$)/i.test(language) ? language : '';

const unused = new WeakMap<HTMLMediaElement, readonly TextTrack[]>();

export function takeTrack(
  media: HTMLMediaElement,
  { kind, label, language }: TrackFacts,
): TextTrack {
  const tracks = unused.get(media) ?? [];
  const found = tracks.find(
    (track) => track.kind === kind && track.label === label && track.language === language,
  );
  if (!found) return media.addTextTrack(kind, label, language);
  unused.set(
    media,
    tracks.filter((track) => track !== found),
  );
  return found;
}

/** Without cues. */
export function giveTrackBack(media: HTMLMediaElement, track: TextTrack): void {
  track.mode = 'disabled';
  unused.set(media, [...(unused.get(media) ?? []), track]);
}

/** Text as WebVTT has it, where < begins a tag. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A disabled track gives no cues away, and takes none back. */
export function changeCues(track: TextTrack, change: () => void): void {
  const { mode } = track;
  if (mode === 'disabled') track.mode = 'hidden';
  change();
  track.mode = mode;
}
