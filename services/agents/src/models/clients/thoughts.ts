import {
  answerAfterOpening,
  markerAt,
  marksBegin,
  maxMarkerUnits,
  thoughtsEndIn,
} from './thought-markers.ts';

/** The words of a model without its thoughts. */
export interface Said {
  text: string;
  /** The length of its thoughts. */
  thoughtUnits: number;
  /** Whether thoughts began without a marker, as with templates that contain it. */
  beginsWithThoughts: boolean;
}

/** A run of backticks or tildes that opens or closes fenced code: at most three spaces before it. */
const fence = /^ {0,3}(`{3,}|~{3,})/;
/** After these, or at the beginning, a marker without its partner is one. Elsewhere a sentence talks about it. */
const endsSentence = /(?:^|[.!?:;)\]}>…*_\n。！？：；])[ \t]*$/u;
const isLineEnd = /^[ \t]*(?:\n|$)/;
const quotes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '‘': '’',
  '«': '»',
  '„': '“',
  '「': '」',
};
/** The longest line start that can hold a fence, and the longest run of backticks between words. */
const maxUnitsOfRun = 80;

/**
 * Separates what a model thought from what it said (the markers are in `thought-markers.ts`). Code in fences and
 * between backticks is never searched, so an answer may talk about markers.
 *
 * A closing marker alone ends thoughts that began without a marker. An opening marker alone hides the rest, which was
 * cut. In the middle of a sentence only a pair counts.
 */
export function withoutThoughts(text: string, { mustThink = false } = {}): Said {
  const pieces = piecesOf(text);
  const lastEnd = pieces.findLastIndex(({ kind }) => kind === 'end without beginning');
  const before = pieces.slice(0, Math.max(lastEnd, 0));
  const after = pieces.slice(lastEnd + 1);
  // Some models close once more at the end of their answer. That end hides nothing.
  const isRepeated = before.some(({ kind }) => kind === 'thought') && isBlankIn(after);
  const isUnmarked = mustThink && pieces.every(isSaid);
  const kept = isUnmarked ? [] : isRepeated ? pieces : after;
  const answer = kept
    .filter(isSaid)
    .map((piece) => piece.text)
    .join('');
  const allUnits = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  const hasThoughts = isUnmarked || !pieces.every(isSaid);
  return {
    text: hasThoughts ? unwrapped(answer.trim()) : answer,
    thoughtUnits: allUnits - answer.length,
    beginsWithThoughts: isUnmarked || (!isRepeated && !isBlankIn(before)),
  };
}

const isSaid = ({ kind }: Piece): boolean => kind === 'said';
const isBlankIn = (pieces: readonly Piece[]): boolean =>
  pieces.every((piece) => !isSaid(piece) || piece.text.trim() === '');

interface Piece {
  kind: 'said' | 'thought' | 'end without beginning';
  text: string;
}

/** One pass over the text: every part is said, thought, or the end of thoughts that began unmarked. */
function piecesOf(text: string): Piece[] {
  const opening = openingOf(text);
  const pieces = new PieceReader(text, opening.length).read();
  return opening === '' ? pieces : [{ kind: 'thought', text: opening }, ...pieces];
}

/** Thoughts that begin with a sentence in place of a marker. Without the sentence that ends them they are an answer. */
function openingOf(text: string): string {
  const start = text.length - text.trimStart().length;
  const answer = answerAfterOpening(text.slice(start, start + maxMarkerUnits));
  const end = answer === undefined ? -1 : text.indexOf(answer, start);
  return answer === undefined || end < 0 ? '' : text.slice(0, end + answer.length);
}

class PieceReader {
  readonly #text: string;
  readonly #pieces: Piece[] = [];
  #place: number;
  #saidFrom: number;
  #hasThought = false;
  /** The end of the line at the place. */
  #lineEnd = -1;
  /** From here on no marker ends thoughts: searched once, so that the work stays linear. */
  #noEndFrom = Number.POSITIVE_INFINITY;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#place = from;
    this.#saidFrom = from;
  }

  read(): Piece[] {
    while (this.#place < this.#text.length) {
      const codeUnits = this.#unitsOfCode();
      if (codeUnits > 0) this.#place += codeUnits;
      else if (!this.#readMarker()) this.#place = this.#nextPlace();
    }
    this.#endSaid(this.#text.length);
    return this.#pieces;
  }

  /** The length of the code that begins here, or 0. */
  #unitsOfCode(): number {
    const [text, place] = [this.#text, this.#place];
    if (!'`~ '.includes(text[place]!)) return 0;
    const start = text.slice(place, place + maxUnitsOfRun);
    if (place === 0 || text[place - 1] === '\n') {
      const [whole, run] = fence.exec(start) ?? [];
      if (whole && run) return this.#unitsOfFencedCode(place + whole.length, run);
    }
    const [run] = /^`+/.exec(start) ?? [];
    if (!run) return 0;
    if (this.#lineEnd < place) this.#lineEnd = indexOr(text, '\n', place, text.length);
    const end = text.slice(place + run.length, this.#lineEnd).indexOf(run);
    return end < 0 ? run.length : run.length + end + run.length;
  }

  /**
   * A fence that is never closed opens no code when a marker that ends thoughts follows: thoughts often break off in
   * the middle of code.
   */
  #unitsOfFencedCode(contentFrom: number, run: string): number {
    const [text, place] = [this.#text, this.#place];
    const closing = new RegExp(`^ {0,3}${run[0]}{${run.length},}[ \\t]*$`, 'gm');
    closing.lastIndex = indexOr(text, '\n', contentFrom, text.length);
    const match = closing.exec(text);
    if (match) return match.index + match[0].length - place;
    return thoughtsEndIn(text, contentFrom) ? contentFrom - place : text.length - place;
  }

  #readMarker(): boolean {
    const [text, place] = [this.#text, this.#place];
    const marker = marksBegin.includes(text[place]!) ? markerAt(text, place) : undefined;
    if (!marker) return false;
    const end = place + marker.length;
    const closingQuote = quotes[text[place - 1] ?? ''];
    if (closingQuote !== undefined && closingQuote === text[end]) return false;
    if (marker.kind === 'open') return this.#readThought(end);
    if (marker.kind === 'close' && !this.#isEndOfThoughts(end)) return false;
    this.#add(marker.kind === 'token' ? 'thought' : 'end without beginning', end);
    return true;
  }

  #readThought(from: number): boolean {
    const end = from < this.#noEndFrom ? thoughtsEndIn(this.#text, from) : undefined;
    if (!end) this.#noEndFrom = Math.min(this.#noEndFrom, from);
    if (!end && !this.#followsSentence()) return false;
    this.#add('thought', end ? end.place + end.length : this.#text.length);
    return true;
  }

  /** After thoughts that had a mark, what looks like their end is one: they may have talked about it. */
  #isEndOfThoughts(end: number): boolean {
    return this.#hasThought || this.#followsSentence() || this.#endsLine(end);
  }

  #followsSentence(): boolean {
    return endsSentence.test(this.#text.slice(Math.max(0, this.#place - maxMarkerUnits), this.#place));
  }

  #endsLine(place: number): boolean {
    return isLineEnd.test(this.#text.slice(place, place + maxMarkerUnits));
  }

  #nextPlace(): number {
    nextPlace.lastIndex = this.#place + 1;
    return nextPlace.exec(this.#text)?.index ?? this.#text.length;
  }

  #add(kind: Piece['kind'], end: number): void {
    this.#endSaid(this.#place);
    this.#pieces.push({ kind, text: this.#text.slice(this.#place, end) });
    this.#hasThought ||= kind === 'thought';
    this.#place = end;
    this.#saidFrom = end;
  }

  #endSaid(place: number): void {
    if (place > this.#saidFrom)
      this.#pieces.push({ kind: 'said', text: this.#text.slice(this.#saidFrom, place) });
  }
}

/** The next unit that code or a marker can begin with. */
const nextPlace = /[<[◁`]|(?<=\n)[ ~]/g;

function indexOr(text: string, part: string, from: number, otherwise: number): number {
  const place = text.indexOf(part, from);
  return place < 0 ? otherwise : place;
}

/** Tags that some models put around an answer that follows thoughts. */
const wrapper = /^<(answer|response|output)>([\s\S]*?)(?:<\/\1>)?$/i;

const unwrapped = (text: string): string => wrapper.exec(text)?.[2]?.trim() ?? text;
