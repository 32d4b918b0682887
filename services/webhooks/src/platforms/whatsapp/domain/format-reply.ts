import { cutText } from '../../../text/domain/clean-text.ts';
import { cleanInput } from '../../../text/domain/markdown/clean-input.ts';
import { readRuns } from '../../../text/domain/markdown/read-runs.ts';
import type { Run } from '../../../text/domain/markdown/rich-text.ts';
import { splitRuns } from '../../../text/domain/markdown/split-runs.ts';
import { toMarkup, withAddresses } from './markup.ts';

/** One message, in the platform's formatting. */
export type ReplyPart = { text: string };

/** The platform's limit of a message, with all marks. */
export const maxMessageUnits = 4096;
/** Room for marks in most messages. One that needs more is cut again. */
const firstUnits = 3900;
const leastUnits = 500;

/**
 * Turns a model's Markdown into the messages to send, in order. Each fits the platform's limit and has visible content.
 * An answer without visible content gives no messages.
 */
export function formatReply(markdown: string): ReplyPart[] {
  const input = cleanInput(markdown);
  const parts = partsOf(withAddresses(readRuns(input)), firstUnits);
  // Markdown can hide all of an answer, such as a lone link definition.
  return parts.length > 0 ? parts : plainParts(input);
}

/** The messages of an answer as the model wrote it, without formatting. */
export const formatPlainReply = (markdown: string): ReplyPart[] => plainParts(cleanInput(markdown));

const plainParts = (text: string): ReplyPart[] => partsOf([{ text, style: {} }], firstUnits);

const limitsOf = (units: number) => ({
  units,
  entities: Number.MAX_SAFE_INTEGER,
  htmlBytes: Number.MAX_SAFE_INTEGER,
});

function partsOf(runs: readonly Run[], units: number): ReplyPart[] {
  return splitRuns(runs, limitsOf(units)).flatMap((part) => {
    const text = toMarkup(part);
    if (text.length <= maxMessageUnits) return [{ text }];
    return units <= leastUnits
      ? [{ text: cutText(text, maxMessageUnits) }]
      : partsOf(part, Math.floor(units * 0.8));
  });
}
