// A live session as an ordinary transcript: it can be edited, searched, saved and kept.
import { newId, TranscriptDocument } from '../transcript/transcript_document.js';
import type { HeardLive } from './heard_live.js';

/** Empty, to be kept and shown before fill(). */
export function documentOf(
  { name, began, sound, englishModel }: HeardLive,
  knowsDigitsAlone: boolean,
): TranscriptDocument {
  const document = TranscriptDocument.begin({
    id: newId(),
    name,
    created: began,
    knowsDigitsAlone,
    ...(englishModel !== undefined && { englishModel }),
  });
  document.recording = sound;
  return document;
}

/** Fills the document; its listeners at that time store it. */
export function fill(document: TranscriptDocument, { transcript, note }: HeardLive): void {
  for (const segment of transcript.segments) document.add(segment);
  document.finish({ ...transcript, rejected: [] }, note);
}
