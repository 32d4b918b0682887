import { cleanInput } from '../../../text/domain/markdown/clean-input.ts';
import { withChoices } from '../../domain/with-choices.ts';
import { escaped } from './blocks.ts';

/** One message: Markdown for the platform's Markdown block, and a text for notifications. */
export type ReplyPart = { markdown: string; text: string; choices?: readonly string[] };

/** A message, or a piece of one. */
export interface Piece extends ReplyPart {
  /** Sent as a Markdown block, else as a text. */
  isBlock: boolean;
}

/** The platform takes 12,000 characters, and counts what its blocks add. */
const maxUnits = 11_500;
const maxUnitsOfNotification = 300;
/** The rest of a line that is cut is at least this long, and so is a part. */
const minUnits = 200;

/**
 * Splits a model's Markdown into messages, in order, between paragraphs or lines where that is possible. A block of
 * code that is cut ends with its fence, and goes on with it. An answer without visible content gives no messages.
 */
export function formatReply(markdown: string, limit = maxUnits): ReplyPart[] {
  const input = defuse(cleanInput(markdown)).trim();
  return input === '' ? [] : splitMarkdown(input, limit).map(toPart);
}

/** The same message in smaller pieces, after the platform called it too long; `undefined` if it can't be split. */
export function splitAgain({ markdown, choices = [] }: ReplyPart): ReplyPart[] | undefined {
  const limit = Math.ceil(markdown.length / 2) + minUnits;
  if (markdown.length <= 2 * minUnits) return undefined;
  const pieces = splitMarkdown(markdown, Math.min(limit, markdown.length - 1));
  return pieces.length > 1 ? withChoices(pieces.map(toPart), choices) : undefined;
}

/**
 * The platform reads its own references in Markdown, too: a model must not call a whole channel. A character of no
 * width keeps the words as they are.
 */
const defuse = (markdown: string): string => markdown.replace(/<(?=[!@#])/g, '<\u2060');

const toPart = (markdown: string): ReplyPart => ({ markdown, text: notificationOf(markdown) });

/** The text of a notification on a phone. The platform reads `&`, `<` and `>` as marks here. */
function notificationOf(markdown: string): string {
  const text = markdown
    .slice(0, maxUnitsOfNotification * 2)
    .replace(/[*_`#>|~]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxUnitsOfNotification)
    .toWellFormed();
  const shown = text === '' ? markdown.slice(0, maxUnitsOfNotification).toWellFormed() : text;
  return escaped(shown);
}

interface Fence {
  /** The line that opens the block. */
  opening: string;
  closing: string;
}

function splitMarkdown(input: string, limit: number): string[] {
  const parts: string[] = [];
  let lines: string[] = [];
  let units = 0;
  let fence: Fence | undefined;
  const end = () => {
    const content = (fence ? [...lines, fence.closing] : lines).join('\n');
    if (content.trim() !== '') parts.push(content.replace(/^\n+/, '').trimEnd());
    lines = fence ? [fence.opening] : [];
    units = fence ? fence.opening.length + 1 : 0;
  };
  for (const whole of input.split('\n')) {
    // The rows of a fence must fit into each part.
    const reserve = fence ? fence.closing.length + 1 : 0;
    for (const line of cutLine(whole, Math.max(minUnits, limit - reserve - units), limit - 2 * reserve)) {
      if (units + line.length + 1 + reserve > limit) end();
      lines.push(line);
      units += line.length + 1;
      // A paragraph that ends near the limit ends the part.
      if (line === '' && fence === undefined && units > limit * nearlyFull) end();
    }
    fence = fenceAfter(whole, fence);
  }
  // A block that the model left open ends with the answer.
  if (fence && lines.length === 1 && lines[0] === fence.opening) lines = [];
  end();
  return parts;
}

const nearlyFull = 0.75;
const fenceShape = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const maxUnitsOfFence = 100;

/** The block of code that is open after this line. */
function fenceAfter(line: string, fence: Fence | undefined): Fence | undefined {
  const [, marks = '', info = ''] = fenceShape.exec(line) ?? [];
  if (marks === '') return fence;
  if (!fence) {
    if (marks.startsWith('`') && info.includes('`')) return undefined;
    return { opening: line.slice(0, maxUnitsOfFence), closing: marks.slice(0, maxUnitsOfFence) };
  }
  const isClosing = marks.startsWith(fence.closing) && info.trim() === '';
  return isClosing ? undefined : fence;
}

/** A line in pieces: the first may have `room`, the others `limit`. They end behind a word where there is one. */
function cutLine(line: string, room: number, limit: number): string[] {
  if (line.length <= limit) return [line];
  const pieces: string[] = [];
  let rest = line;
  let most = Math.min(room, limit);
  while (rest.length > most) {
    const at = breakOf(rest, most);
    pieces.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
    most = limit;
  }
  return rest === '' ? pieces : [...pieces, rest];
}

function breakOf(text: string, most: number): number {
  const space = text.lastIndexOf(' ', most);
  if (space > most / 2) return space;
  const isInsidePair = (text.charCodeAt(most) & 0xfc00) === 0xdc00;
  return isInsidePair ? most - 1 : most;
}
