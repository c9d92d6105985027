// A transcript on the page with everything that belongs to it: its text, player, editing, finding and saving.
import type { PlayerPanel } from '../player/player_panel.js';
import { byId, element, hide, setText, textElement } from '../shell/dom.js';
import { clock } from '../shell/format.js';
import { NameField } from '../shell/name_field.js';
import { strings } from '../strings.js';
import { ExportBar } from './export_bar.js';
import { FindBar } from './find_bar.js';
import { Follow } from './follow.js';
import { ParagraphEditor } from './paragraph_editor.js';
import { ParagraphList } from './paragraph_list.js';
import { ParagraphText } from './paragraph_text.js';
import { perhapsForeign } from './perhaps_foreign.js';
import { SegmentKeys } from './segment_keys.js';
import type { DocumentChange, RejectedSegment, TranscriptDocument } from './transcript_document.js';

interface Callbacks {
  /** A person wants what ended early to go on, with its recording. */
  readonly onGoOn: (recording: File, document: TranscriptDocument) => void;
  /** A model for other languages is wanted than this one, which knows English alone. */
  readonly onOtherLanguages: (englishModel: string) => void;
}

export class TranscriptPanel {
  readonly #card = byId('transcript', HTMLElement);
  readonly #title = byId('transcript_title', HTMLElement);
  readonly #name = element('button', 'title-name quiet');
  readonly #nameField = new NameField(this.#name, 'title-field', {
    name: () => this.#document?.facts.name ?? '',
    label: () => strings.transcript.newName,
    onWritten: (name) => this.#document?.call(name),
  });
  readonly #note = byId('transcript_meta', HTMLElement);
  readonly #nothing = byId('nothing_heard', HTMLElement);
  readonly #tools = byId('transcript_tools', HTMLElement);
  readonly #edit = byId('edit', HTMLButtonElement);
  readonly #undo = byId('undo', HTMLButtonElement);
  readonly #redo = byId('redo', HTMLButtonElement);
  readonly #goOn = byId('go_on', HTMLButtonElement);
  readonly #goOnProblem = byId('go_on_problem', HTMLElement);
  readonly #added = byId('added_recording', HTMLInputElement);
  readonly #player: PlayerPanel;
  readonly #paragraphs = new ParagraphList({
    onPlay: (start) => this.#play(start),
    onRename: (from, to) => this.#document?.rename(from, to),
    onAttribute: (group, name) => this.#attribute(group, name),
    onOtherNodes: () => this.#find.renew(),
  });
  readonly #editor = new ParagraphEditor({
    onEdited: (paragraph, text) => this.#document?.edit(paragraph.rewritten(text)),
    onSplit: (paragraph, text, caret) => this.#split(paragraph, text, caret),
    onJoin: (paragraph, text) => this.#join(paragraph, text),
    onLeft: ({ group }, at) => this.#focusOn([at, ...group]),
  });
  readonly #exports = new ExportBar();
  readonly #find = new FindBar(this.#paragraphs);
  readonly #follow = new Follow();
  #document: TranscriptDocument | undefined;
  /** Where a person wrote when speakers came. */
  #written: Written | undefined;
  #recording: File | undefined;
  /** The recording is asked for to go on with the transcript. */
  #isToGoOn = false;
  readonly #calls: Callbacks;
  #stopListening = (): unknown => undefined;

  constructor(player: PlayerPanel, calls: Callbacks) {
    this.#player = player;
    this.#calls = calls;
    byId('other_languages', HTMLButtonElement).addEventListener('click', () => {
      calls.onOtherLanguages(this.#document?.facts.englishModel ?? '');
    });
    this.#goOn.addEventListener('click', () => this.#askToGoOn());
    const { list } = this.#paragraphs;
    new SegmentKeys(this.#paragraphs, {
      onPlay: (start) => this.#play(start),
      onEdit: (at) => this.#editAt(at),
      now: () => player.seconds,
    });
    list.addEventListener('click', ({ target }) => this.#onPress(target));
    list.addEventListener('dblclick', ({ target }) => {
      player.pause();
      this.#editAt(this.#paragraphs.indexOf(target), target);
    });
    byId('add_recording', HTMLButtonElement).addEventListener('click', () => {
      this.#isToGoOn = false;
      this.#added.click();
    });
    this.#added.addEventListener('change', () => this.#addRecording());
    this.#name.type = 'button';
    this.#name.title = strings.transcript.rename;
    this.#title.append(this.#name);
    this.#name.addEventListener('click', () => this.#nameField.open(this.#name));
    this.#edit.addEventListener('click', () => this.#switchEditing());
    this.#undo.addEventListener('click', () => this.#document?.undo());
    this.#redo.addEventListener('click', () => this.#document?.redo());
    player.listen({
      onTime: (seconds, isPlaying) => {
        const sounding = this.#paragraphs.mark(seconds);
        if (isPlaying) this.#follow.follow(sounding);
      },
      onCommand: (command) => {
        if (command === 'find') this.#find.open();
        else if (command === 'undo') this.#document?.undo();
        else if (command === 'redo') this.#document?.redo();
        else this.#editHere();
      },
    });
  }

  /** The one that is shown. */
  get document(): TranscriptDocument | undefined {
    return this.#document;
  }

  /** Whether a person writes in it, has changed it, marks text in it, or listens to it. */
  get isInUse(): boolean {
    const field = ':is(textarea, input:not([type=checkbox])):focus';
    const isWriting = this.#editor.isOpen || this.#card.querySelector(field) !== null;
    const isChanged = this.#document?.canUndo === true || this.#document?.canRedo === true;
    const marked = getSelection();
    const isMarked = marked?.isCollapsed === false && this.#card.contains(marked.anchorNode);
    return isWriting || isChanged || isMarked || this.#player.isPlaying;
  }

  /** While another transcript is read, keys and clicks would change this one. */
  set isOpening(isOpening: boolean) {
    this.#card.inert = isOpening;
    if (isOpening) this.#card.setAttribute('aria-busy', 'true');
    else this.#card.removeAttribute('aria-busy');
  }

  /** Shows a document, which may go on growing. */
  show(document: TranscriptDocument): void {
    this.#editor.close();
    this.#nameField.close();
    this.#stopListening();
    this.#document = document;
    this.#stopListening = document.listen((change) => this.#onChange(document, change));
    hide(this.#card, false);
    this.#paragraphs.show(document);
    this.#showRecording(document.recording);
    hide(this.#goOnProblem, true);
    hide(byId('ten_words', HTMLElement), document.facts.knowsDigitsAlone !== true);
    byId('dropped', HTMLDetailsElement).open = false;
    this.#showState(document);
  }

  /** A person has come to it from elsewhere on the page: they see where it begins, or what they sought. */
  arrive(sought: string): void {
    this.#title.focus({ preventScroll: true });
    this.#card.scrollIntoView({ block: 'start', behavior: 'instant' });
    if (this.#paragraphs.count > 0 && sought !== '') this.#find.seek(sought);
  }

  /** Nothing is shown; what is kept stays kept. */
  hide(): void {
    this.#editor.close();
    this.#nameField.close();
    this.#stopListening();
    this.#document = undefined;
    this.#player.load(undefined);
    this.#find.show(undefined);
    hide(this.#card, true);
  }

  #onChange(document: TranscriptDocument, change: DocumentChange): void {
    // Segments get other numbers: what is written in the field counts now, and one writes on when they have them.
    if (change.kind === 'settling') {
      this.#written = this.#whereOneWrites(document);
      this.#editor.close();
      return;
    }
    this.#paragraphs.change(document, change);
    this.#showState(document);
    if (change.kind === 'told') this.#writeOn(document);
  }

  #whereOneWrites({ segments }: TranscriptDocument): Written | undefined {
    const { caret } = this.#editor;
    if (!caret) return undefined;
    const texts = segments.slice(0, caret.paragraph.group[0]).map(({ text }) => text);
    return {
      letters: lettersIn(texts.join('') + caret.before),
      isBehindSpace: /\s$/u.test(caret.before),
    };
  }

  /** Opens the field at the same place: its segments may be others. */
  #writeOn({ segments }: TranscriptDocument): void {
    if (!this.#written) return;
    const { letters, isBehindSpace } = this.#written;
    this.#written = undefined;
    let left = letters;
    const at = segments.findIndex(({ text }) => {
      const count = lettersIn(text);
      if (count > 0 && count >= left) return true;
      left -= count;
      return false;
    });
    if (at === -1) return;
    this.#openAt(at, (paragraph) => {
      const start = paragraph.startOf(at);
      const place = start + placeBehind(paragraph.text.slice(start), left);
      const caret = place + Number(isBehindSpace && place < paragraph.text.length);
      return [caret, caret];
    });
  }

  #showState(document: TranscriptDocument): void {
    const { duration, isGrowing, isEmpty, note, rejected } = document;
    setText(this.#name, document.facts.name);
    setText(this.#note, note);
    if (document.recording !== this.#recording) this.#showRecording(document.recording);
    this.#showGoOn(document);
    this.#showLanguages(document);
    // It would be a claim about a recording that was not heard to its end.
    hide(this.#nothing, isGrowing || !isEmpty || duration === undefined);
    hide(this.#tools, isEmpty && !document.canUndo);
    this.#undo.disabled = !document.canUndo;
    this.#redo.disabled = !document.canRedo;
    // Screen readers announce transcribed text, not the user's edits.
    this.#paragraphs.list.setAttribute('aria-live', isGrowing ? 'polite' : 'off');
    this.#exports.offer(document);
    this.#find.show(document);
    this.#player.showSegments({
      segments: document.spoken,
      ...(duration !== undefined && { duration }),
    });
    this.#showRejected(rejected);
  }

  #showLanguages(document: TranscriptDocument): void {
    const { englishModel } = document.facts;
    const isShown = englishModel !== undefined && perhapsForeign(document);
    hide(byId('perhaps_foreign', HTMLElement), !isShown);
    if (!isShown) return;
    byId('perhaps_foreign_text', HTMLElement).textContent =
      strings.transcript.perhapsForeign(englishModel);
  }

  #showRejected(rejected: readonly RejectedSegment[]): void {
    const dropped = rejected.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
    hide(byId('dropped', HTMLDetailsElement), dropped.length === 0);
    setText(byId('dropped_title', HTMLElement), strings.dropped.title(dropped.length));
    byId('dropped_list', HTMLUListElement).replaceChildren(...dropped.map(droppedItem));
  }

  #showRecording(recording: File | undefined): void {
    this.#recording = recording;
    this.#player.load(recording);
    this.#follow.reset();
    hide(byId('no_recording', HTMLElement), recording !== undefined);
    hide(byId('again', HTMLButtonElement), recording === undefined);
  }

  /** The recording of an earlier transcript, which the page has not kept. */
  #addRecording(): void {
    const [file] = this.#added.files ?? [];
    this.#added.value = '';
    if (!file || !this.#document) return;
    if (this.#isToGoOn && !this.#isTheOne(file)) return;
    this.#document.recording = file;
    if (this.#isToGoOn) this.#calls.onGoOn(file, this.#document);
  }

  #showGoOn({ unfinished, isGrowing, recording }: TranscriptDocument): void {
    const { goOn, chooseToGoOn } = strings.transcript;
    const isPossible = unfinished !== undefined && !isGrowing;
    if (!isPossible && document.activeElement === this.#goOn) this.#title.focus();
    hide(this.#goOn, !isPossible);
    setText(this.#goOn, recording || !unfinished ? goOn : chooseToGoOn(unfinished.file.name));
    if (!isPossible) hide(this.#goOnProblem, true);
  }

  #askToGoOn(): void {
    const { recording } = this.#document ?? {};
    this.#isToGoOn = true;
    if (!this.#document || !recording) this.#added.click();
    else if (this.#isTheOne(recording)) this.#calls.onGoOn(recording, this.#document);
    else this.#added.click();
  }

  /** Whether this is the recording of the transcript, which may have been copied or have another name by now. */
  #isTheOne({ name, size, lastModified }: File): boolean {
    const known = this.#document?.unfinished?.file;
    if (!known) return false;
    const isAlike = name === known.name || lastModified === known.lastModified;
    const isIt = size === known.size && isAlike;
    hide(this.#goOnProblem, isIt);
    this.#goOnProblem.textContent = isIt ? '' : strings.transcript.otherRecording(name, known.name);
    return isIt;
  }

  #play(start: number): void {
    this.#player.play(start);
  }

  #onPress(target: EventTarget | null): void {
    const at = this.#paragraphs.indexOf(target);
    const view = this.#paragraphs.view(at);
    // A person who marks text does not want to hear it.
    if (!view || getSelection()?.isCollapsed === false) return;
    if (this.#isEditing) {
      this.#editAt(at, target);
      return;
    }
    this.#follow.stay();
    this.#play(view.startAt(target));
  }

  get #isEditing(): boolean {
    return this.#edit.getAttribute('aria-pressed') === 'true';
  }

  #switchEditing(): void {
    const isOn = !this.#isEditing;
    this.#edit.setAttribute('aria-pressed', String(isOn));
    this.#paragraphs.list.classList.toggle('editing', isOn);
  }

  /** Edits the paragraph that has the focus, or else the one at the player's position. */
  #editHere(): void {
    const focused = this.#paragraphs.indexOf(document.activeElement);
    const heard = Math.max(0, this.#paragraphs.indexAt(this.#player.seconds));
    this.#editAt(focused === -1 ? heard : focused);
  }

  /** Edits the paragraph of segment `at`, at the word that was pressed. */
  #editAt(at: number, target?: EventTarget | null): void {
    const letters = this.#paragraphs.view(at)?.lettersAt(target ?? null);
    this.#openAt(at, (paragraph) => {
      const start = paragraph.startOf(at);
      return letters ? [start + letters.from, start + letters.to] : [start, start];
    });
  }

  /** `marked` says which letters of the paragraph to mark. */
  #openAt(at: number, marked: (paragraph: ParagraphText) => readonly [number, number]): void {
    const there = this.#paragraphs.paragraphOf(at);
    const view = this.#paragraphs.view(there?.segments[0] ?? -1);
    if (!this.#document || !there || !view) return;
    const paragraph = new ParagraphText(this.#document.segments, there.segments);
    const label = strings.editor.textAt(clock(view.segment.start));
    this.#editor.open({ paragraph, text: there.text, label, at }, ...marked(paragraph));
  }

  /** Editing goes on at the beginning of the new paragraph. */
  #split(paragraph: ParagraphText, text: string, caret: number): void {
    const [head, tail] = [text.slice(0, caret), text.slice(caret)];
    if (head.trim() === '' || tail.trim() === '') {
      this.#document?.edit(paragraph.rewritten(text));
      this.#focusOn(paragraph.group);
      return;
    }
    const split = paragraph.split(head, tail);
    this.#document?.split(split);
    this.#openAt(split.letter === 0 ? split.at : split.at + 1, () => [0, 0]);
  }

  /** Editing goes on where the two paragraphs meet. */
  #join(paragraph: ParagraphText, text: string): void {
    const { group } = paragraph;
    const texts = paragraph.rewritten(text);
    const first = group.find((at) => texts.get(at) !== '') ?? group[0] ?? 0;
    const before = this.#paragraphs.lastBefore(group[0] ?? 0);
    if (before === undefined) this.#document?.edit(texts);
    else this.#document?.join(texts, first);
    this.#openAt(before ?? first, (joined) => {
      const caret = joined.group.includes(first) ? joined.startOf(first) : joined.text.length;
      return [caret, caret];
    });
  }

  /** The paragraph may become a part of the one before. On a name the keys of undo work, in a choice they do not. */
  #attribute(group: readonly number[], name: string | undefined): void {
    this.#document?.attribute(group, name);
    this.#paragraphs.speakerOf(group[0] ?? 0)?.focus();
  }

  /** The keyboard goes on at the first of these segments that is there. */
  #focusOn(group: readonly number[]): void {
    const views = group.map((at) => this.#paragraphs.view(at));
    const there = views.find((view) => view?.element.isConnected);
    there?.element.focus({ preventScroll: true });
  }
}

/** A place in all of the text, by how many letters stand before it. */
interface Written {
  readonly letters: number;
  readonly isBehindSpace: boolean;
}

/** Letters are counted, since white space around them may change. */
const lettersIn = (text: string): number => text.replaceAll(/\s/gu, '').length;

/** Where in `text` its first `count` letters end. */
function placeBehind(text: string, count: number): number {
  let place = 0;
  for (let left = count; left > 0 && place < text.length; ++place) {
    if (/\S/u.test(text.charAt(place))) --left;
  }
  return place;
}

function droppedItem({ start, end, text, decision }: RejectedSegment): HTMLElement {
  const item = element('li');
  item.append(
    element('span', 'times', `${clock(start)} – ${clock(end)}`),
    textElement('q', '', text.trim()),
    element('small', '', strings.dropped.reasons[decision] ?? decision),
  );
  return item;
}
