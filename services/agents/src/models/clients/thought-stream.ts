import { markerAt, marksBegin, maxMarkerUnits, thoughtsEndIn } from './thought-markers.ts';
import { withoutThoughts } from './thoughts.ts';

/** While the beginning is held back, so many ends of thoughts are looked at. */
const maxChecks = 20;
/** An end counts once so much follows it: the end of a line and the end of what has arrived look alike. */
const unitsAfterEnd = 2;
const endsSentence = /(?:^|[.!?…。！？)\]>\n])[ \t]*$/;
const fences = /^ {0,3}(?:```|~~~)/gm;

/**
 * Passes on the text of a stream without what the model thinks. If `holdsBeginning`, nothing is passed on until the
 * thoughts end or the answer does: their beginning may have no mark. After a mark in the middle, the rest waits for the
 * end of the answer, which is then read as a whole (`withoutThoughts`).
 */
export class ThoughtStream {
  readonly #onText: (text: string) => void;
  #state: 'held' | 'said' | 'thought' | 'waits for the end';
  #rest = '';
  #passed = '';
  #spaces = '';
  #checks = 0;
  #searchedTo = 0;

  constructor({ onText, holdsBeginning }: { onText: (text: string) => void; holdsBeginning: boolean }) {
    this.#onText = onText;
    this.#state = holdsBeginning ? 'held' : 'said';
  }

  /** Whether any text was passed on. */
  get hasPassed(): boolean {
    return this.#passed !== '';
  }

  /** The server reports thoughts apart from the text, so the text has none. */
  releaseBeginning(): void {
    if (this.#state === 'held') this.#state = 'said';
  }

  push(text: string): void {
    if (this.#state === 'waits for the end') return;
    this.#rest += text;
    if (this.#state === 'held' && !this.#hasBegun()) return;
    while (this.#rest !== '' && this.#step());
  }

  /** Passes on what is missing of the answer without its thoughts. */
  end(answer: string): void {
    const whole = answer.trimStart();
    if (!whole.startsWith(this.#passed)) return;
    this.#spaces = '';
    const missing = whole.slice(this.#passed.length);
    if (missing !== '') this.#onText(missing);
  }

  #hasBegun(): boolean {
    const end = thoughtsEndIn(this.#rest, this.#searchedTo);
    const endPlace = end && end.place + end.length;
    if (endPlace === undefined || this.#rest.length < endPlace + unitsAfterEnd) {
      this.#searchedTo = end ? end.place : Math.max(0, this.#rest.length - maxMarkerUnits);
      return false;
    }
    this.#searchedTo = endPlace;
    this.#checks += 1;
    const isInCode = (this.#rest.slice(0, endPlace).match(fences) ?? []).length % 2 === 1;
    const { text, thoughtUnits } = withoutThoughts(this.#rest);
    if (isInCode || thoughtUnits === 0 || this.#checks > maxChecks) return false;
    this.#continueAfter(endPlace, text + this.#rest.slice(this.#rest.trimEnd().length));
    return this.#state === 'said';
  }

  /** An end in the middle of a sentence may be one that the thoughts talk about. */
  #continueAfter(place: number, rest: string): void {
    const isEnd =
      this.#rest[place] === '\n' || endsSentence.test(this.#rest.slice(0, this.#endBefore(place)));
    this.#rest = isEnd ? rest : '';
    this.#state = isEnd ? 'said' : 'waits for the end';
  }

  #endBefore = (place: number): number => Math.max(this.#rest.lastIndexOf('<', place - 1), 0);

  /** Returns `false` when more text has to arrive first. */
  #step(): boolean {
    if (this.#state === 'thought') return this.#stepThought();
    const place = this.#rest.search(markBegin);
    if (place !== 0) {
      this.#take(place < 0 ? this.#rest.length : place);
      return true;
    }
    const marker = markerAt(this.#rest, 0);
    if (marker) {
      if (marker.kind !== 'open' || this.#passed !== '') return this.#waitForEnd();
      this.#rest = this.#rest.slice(marker.length);
      this.#state = 'thought';
      return true;
    }
    const mayBecomeOne = this.#rest.length < maxMarkerUnits && !/[>\]▷\n]/.test(this.#rest.slice(1));
    if (mayBecomeOne) return false;
    // An answer in a tag of its own is unwrapped as a whole.
    if (this.#passed === '' && this.#rest.startsWith('<')) return this.#waitForEnd();
    this.#take(1);
    return true;
  }

  #stepThought(): boolean {
    const end = thoughtsEndIn(this.#rest, 0);
    const endPlace = end ? end.place + end.length : Number.POSITIVE_INFINITY;
    if (this.#rest.length < endPlace + unitsAfterEnd) {
      if (!end) this.#rest = this.#rest.slice(-maxMarkerUnits);
      return false;
    }
    const rest = this.#rest.slice(endPlace);
    this.#continueAfter(endPlace, rest);
    return this.#state === 'said';
  }

  #waitForEnd(): boolean {
    this.#state = 'waits for the end';
    this.#rest = '';
    return true;
  }

  #take(units: number): void {
    const text = this.#spaces + this.#rest.slice(0, units);
    this.#rest = this.#rest.slice(units);
    // Empty lines at the end of an answer are no part of it.
    const [emptyLines = ''] = /\s*\n\s*$/.exec(text.slice(-maxMarkerUnits)) ?? [];
    const shown = text.slice(0, text.length - emptyLines.length);
    const begun = this.#passed === '' ? shown.trimStart() : shown;
    this.#spaces = this.#passed === '' && begun === '' ? '' : emptyLines;
    if (begun === '') return;
    this.#passed += begun;
    this.#onText(begun);
  }
}

const markBegin = new RegExp(`[${marksBegin.replace('[', '\\[')}]`);
