import { cleanInput } from '../../../text/domain/markdown/clean-input.ts';
import { toHtml } from '../../../text/domain/markdown/html.ts';
import { readRuns } from '../../../text/domain/markdown/read-runs.ts';
import type { Run } from '../../../text/domain/markdown/rich-text.ts';
import { type PartLimits, splitRuns } from '../../../text/domain/markdown/split-runs.ts';

/** One message: `html` for the platform's HTML mode, and `text` with the same words in case it refuses the HTML. */
export type ReplyPart = { html: string; text: string; choices?: readonly string[] };

type FormatReplyOptions = {
  /** UTF-16 units of visible text per message, 16 to 4096: 4096 for a message (the default), 1024 for a caption. */
  maxUnits?: number;
};

const maxMessageUnits = 4096;
const minMessageUnits = 16;
// The platform's limits. It silently cuts a text's source at 35,000 bytes.
const maxEntities = 100;
const maxHtmlBytes = 30_000;
const messageLimits: PartLimits = { units: maxMessageUnits, entities: maxEntities, htmlBytes: maxHtmlBytes };

/**
 * Turns a model's Markdown into the messages to send, in order. Each fits the platform's limits (4096 units of visible
 * text, 100 entities) and has visible content. An answer without visible content gives no messages. Elements of
 * HTML that are no formatting stay text, and an answer beyond 100,000 units ends with "…". Throws only a RangeError,
 * for `maxUnits` out of range.
 */
export function formatReply(markdown: string, options: FormatReplyOptions = {}): ReplyPart[] {
  const { maxUnits = maxMessageUnits } = options;
  if (!(maxUnits >= minMessageUnits && maxUnits <= maxMessageUnits)) {
    throw new RangeError(`maxUnits must be from ${minMessageUnits} to ${maxMessageUnits}`);
  }
  const limits = { ...messageLimits, units: Math.floor(maxUnits) };
  const input = cleanInput(markdown);
  const parts = splitRuns(readRuns(input), limits);
  // Markdown can hide all of an answer, such as a lone link definition. The user then gets the text as the model wrote
  // it.
  return parts.length > 0 ? parts.map(toPart) : plainParts(input, limits);
}

/** The messages of an answer as the model wrote it, without formatting. */
export const formatPlainReply = (markdown: string): ReplyPart[] =>
  plainParts(cleanInput(markdown), messageLimits);

const plainParts = (text: string, limits: PartLimits): ReplyPart[] =>
  splitRuns([{ text, style: {} }], limits).map(toPart);

const toPart = (runs: readonly Run[]): ReplyPart => ({
  html: toHtml(runs),
  text: runs.map((run) => run.text).join(''),
});
