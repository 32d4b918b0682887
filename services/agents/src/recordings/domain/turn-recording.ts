import type { ToolCallRecord } from '@botyard/contracts/http/context-traces';

/** A passage of a document as the model got it. */
export interface UsedPassage {
  sourceId: string;
  title: string;
  text: string;
}

/** A call of a tool as it was made, with what the model got. */
export interface UsedCall {
  name: string;
  /** The kind of the tool; `null` if there is none of that name. */
  kind: string | null;
  arguments: unknown;
  outcome: ToolCallRecord['outcome'];
  result: string;
  /** The result has the rest no more. */
  isCut?: boolean;
}

/** The use of an answer. */
export interface TurnUse {
  calls: readonly UsedCall[];
  passages: readonly UsedPassage[];
  /** The question as the model got it, if files came with it; otherwise `null`. */
  question: string | null;
}

/** Everything that a turn used beside the messages of its chat. */
export interface TurnRecording extends TurnUse {
  /** When the turn began. */
  now: string;
  /** There was more than is kept. */
  isCut: boolean;
}

/** The longest recording, as bytes of JSON. */
const maxBytes = 64 * 1024;
/** For the names of the fields. */
const bytesOfFrame = 256;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The recording within its size: calls first, then passages, then the question. The rest is cut, which is marked. */
export function withinBounds({ calls, passages, question }: TurnUse, now: string): TurnRecording {
  let room = maxBytes - bytesOfFrame;
  let isCut = false;
  const take = <Value>(value: Value, shorten: (value: Value, room: number) => Value | undefined): Value[] => {
    const whole = bytesOf(value) + 1;
    const taken = whole <= room ? value : shorten(value, room);
    isCut ||= taken !== value;
    if (taken === undefined) return [];
    room -= bytesOf(taken) + 1;
    return [taken];
  };
  const keptCalls = calls.flatMap((call) => take(call, shortenedCall));
  const keptPassages = passages.flatMap((passage) => take(passage, shortenedPassage));
  const [keptQuestion = null] = question === null ? [] : take(question, startOf);
  return { calls: keptCalls, passages: keptPassages, question: keptQuestion, now, isCut };
}

function shortenedCall(call: UsedCall, room: number): UsedCall | undefined {
  const frame = { ...call, result: '', isCut: true };
  const result = startOf(call.result, room - bytesOf(frame));
  return result === undefined ? undefined : { ...frame, result };
}

function shortenedPassage(passage: UsedPassage, room: number): UsedPassage | undefined {
  const text = startOf(passage.text, room - bytesOf({ ...passage, text: '' }));
  return text === undefined ? undefined : { ...passage, text };
}

/** The longest start of a text that has at most `room` bytes as JSON. */
function startOf(text: string, room: number): string | undefined {
  if (room <= 2) return undefined;
  let [fits, tooLong] = [0, Math.min(text.length, room) + 1];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (bytesOf(text.slice(0, middle).toWellFormed()) <= room) fits = middle;
    else tooLong = middle;
  }
  return fits === 0 ? undefined : text.slice(0, fits).toWellFormed();
}
