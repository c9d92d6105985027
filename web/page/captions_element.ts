import { checkOptions, text } from '../src/api/options.js';
import { loadModel } from '../src/index.js';
import type { Model, Progress, AnyTranscribeOptions } from '../src/index.js';
import type { SubtitleProfile } from '../src/writers/subtitle_profiles.js';
import { attachTextTrack, type AttachedTextTrack, type TextTrackOptions } from './text_track.js';

const styles = `
  :host { display: inline-flex; gap: 0.5em; align-items: center; font: inherit; }
  :host([hidden]) { display: none; }
  button { font: inherit; }
  progress { width: 8em; }
  [hidden] { display: none; }
`;

const wholeNumber = (text: string | null): number | undefined =>
  text === null ? undefined : Number(text);

/**
 * A `<susurrus-captions>`, once defineCaptions() has defined it. Its events bubble, also out of shadow trees. Their `detail` is the progress
 * (`susurrus-progress`), the transcript (`susurrus-transcript`) or the error (`susurrus-error`).
 */
export interface CaptionsElement extends HTMLElement {
  /** A loaded model, which the element uses and never disposes of. */
  model: Model | undefined;
  /** The element named by `for`, or the one within. */
  readonly media: HTMLMediaElement | null;
  /** Transcribes the media and shows its captions. Resolves when that is over; an error is an event, not a rejection. */
  start(): Promise<void>;
  /** Stops transcribing. The captions stay. */
  stop(): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'susurrus-captions': CaptionsElement;
  }
}

/** Makes the class of <susurrus-captions> when it is needed, since a server has no HTMLElement. */
function makeElement(): CustomElementConstructor {
  return class extends HTMLElement implements CaptionsElement {
    model: Model | undefined;
    readonly #button = document.createElement('button');
    readonly #bar = document.createElement('progress');
    readonly #note = document.createElement('span');
    #own: Model | undefined;
    #stop: AbortController | undefined;
    #attached: AttachedTextTrack | undefined;

    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open' });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(styles);
      root.adoptedStyleSheets = [sheet];
      this.#button.part.add('button');
      this.#button.type = 'button';
      this.#bar.part.add('progress');
      this.#note.part.add('note');
      this.#note.setAttribute('role', 'status');
      // Its English words stay in order on a page that runs from right to left.
      this.#button.dir = 'auto';
      this.#note.dir = 'auto';
      this.#button.addEventListener('click', () => {
        if (this.#stop) this.stop();
        else void this.start();
      });
      root.append(this.#button, this.#bar, this.#note);
      this.#show('Add captions');
    }

    connectedCallback(): void {
      if (this.hasAttribute('autostart')) void this.start();
    }

    disconnectedCallback(): void {
      this.stop();
      this.#own?.dispose();
      this.#own = undefined;
    }

    get media(): HTMLMediaElement | null {
      const id = this.getAttribute('for');
      if (id === null) return this.querySelector('video, audio');
      const found = (this.getRootNode() as Document | ShadowRoot).getElementById(id);
      return found instanceof HTMLMediaElement ? found : null;
    }

    async start(): Promise<void> {
      this.stop();
      const stop = new AbortController();
      this.#stop = stop;
      const { signal } = stop;
      try {
        const { media } = this;
        if (!media) throw new Error('There is no video or audio with that id.');
        this.#show('Stop', 'Loading the model …');
        const model = await this.#loaded(signal);
        const transcription = model.transcribe(media, {
          ...this.#options(),
          signal,
          onProgress: (event) => this.#progress(event, 'Listening …'),
        });
        this.#attached?.remove();
        this.#attached = attachTextTrack(media, transcription, this.#format());
        const result = await transcription;
        this.#finish(stop, 'Add captions again', '');
        this.#tell('transcript', result);
      } catch (error) {
        if (signal.aborted) return;
        this.#finish(stop, 'Try again', error instanceof Error ? error.message : String(error));
        this.#tell('error', error);
      }
    }

    stop(): void {
      if (!this.#stop) return;
      this.#stop.abort();
      this.#finish(this.#stop, 'Add captions', '');
    }

    async #loaded(signal: AbortSignal): Promise<Model> {
      if (this.model) return this.model;
      if (this.#own) return this.#own;
      const source = this.getAttribute('model');
      if (source === null) throw new Error('Say which model with the attribute "model".');
      const model = await loadModel(source, {
        signal,
        onProgress: (event) => this.#progress(event, 'Loading the model …'),
      });
      // Stopped in the last moment: another start may be loading its own.
      if (signal.aborted) {
        model.dispose();
        throw signal.reason;
      }
      this.#own = model;
      return model;
    }

    #options(): AnyTranscribeOptions {
      const language = this.getAttribute('language');
      return {
        timestamps: 'word',
        ...(language !== null && { language }),
        ...(this.hasAttribute('translate') && { task: 'translate' }),
      };
    }

    #format(): TextTrackOptions {
      const width = wholeNumber(this.getAttribute('max-line-width'));
      const count = wholeNumber(this.getAttribute('max-line-count'));
      const label = this.getAttribute('label');
      const profile = this.getAttribute('profile');
      // A profile has limits of its own, and an error where others are given.
      const limits =
        profile === null
          ? { maxLineWidth: width ?? 42, maxLineCount: count ?? 2 }
          : {
              profile: profile as SubtitleProfile,
              ...(width !== undefined && { maxLineWidth: width }),
              ...(count !== undefined && { maxLineCount: count }),
            };
      return { ...limits, ...(label !== null && { label }) };
    }

    #progress(event: Progress, note: string): void {
      this.#bar.value = event.overall;
      this.#show('Stop', note);
      this.#tell('progress', event);
    }

    /** The names are prefixed, since media elements have events called progress and error. */
    #tell(what: 'progress' | 'transcript' | 'error', detail: unknown): void {
      const init = { detail, bubbles: true, composed: true };
      this.dispatchEvent(new CustomEvent(`susurrus-${what}`, init));
    }

    #finish(stop: AbortController, button: string, note: string): void {
      if (this.#stop !== stop) return;
      this.#stop = undefined;
      this.#show(button, note);
    }

    #show(button: string, note = ''): void {
      this.#button.textContent = button;
      this.#note.textContent = note;
      this.#bar.hidden = this.#stop === undefined;
    }
  };
}

/**
 * Defines the element `<susurrus-captions>`, or one with another name, once.
 *
 * Attributes: `model` (a name or URL), `for` (the id of the media element, unless it is inside), `autostart`, `language`, `translate`,
 * `label`, `max-line-width`, `max-line-count`, `profile`.
 *
 * @throws SusurrusError `invalid_argument` unless `name` is a text; a DOMException if it is no name for an element.
 * @example
 * ```js
 * defineCaptions();
 * const captions = document.createElement('susurrus-captions');
 * captions.model = model;
 * captions.append(video);
 * await captions.start();
 * ```
 */
export function defineCaptions(name = 'susurrus-captions'): void {
  checkOptions({ name }, { name: text });
  if (!customElements.get(name)) customElements.define(name, makeElement());
}
