import { withChoices as onLast } from '../../domain/with-choices.ts';
import type { ReplyPart } from './format-reply.ts';
import { maxUnitsWithChoices, type ReplyContent } from './outgoing.ts';

/** The messages of a reply, with choices under the last one, which is made short enough for them. */
export function withChoices(parts: readonly ReplyPart[], choices: readonly string[]): ReplyContent[] {
  const last = parts.at(-1);
  if (!last || choices.length === 0) return [...parts];
  return onLast([...parts.slice(0, -1), ...splitEnd(last.text).map((text) => ({ text }))], choices);
}

const fence = '```';
const maxUnits = maxUnitsWithChoices - fence.length - 1;

/** Splits off the end of a text that is too long for choices: a paragraph, else a line, else a word. */
function splitEnd(text: string): string[] {
  if (text.length <= maxUnitsWithChoices) return [text];
  const start = text.length - maxUnits;
  const breaks = ['\n\n', '\n', ' '].map((mark) => text.indexOf(mark, start));
  const place = breaks.find((at) => at >= 0) ?? start + (isInsidePair(text, start) ? 1 : 0);
  const head = text.slice(0, place).trimEnd();
  const end = text.slice(place).trimStart();
  const isCode = head.split(fence).length % 2 === 0;
  return isCode ? [`${head}\n${fence}`, `${fence}\n${end}`] : [head, end];
}

const isInsidePair = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
