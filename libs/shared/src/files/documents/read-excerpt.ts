import type { DocumentType } from './read-sections.ts';
import { type ReadingLimits, runApart } from './run-apart.ts';

/**
 * The beginning of a document's text, up to a number of UTF-16 units, read in a process of its own. Empty if it has no
 * text.
 * @throws Unreadable, and the signal's reason when it is aborted.
 */
export function readExcerpt(
  document: { type: DocumentType; bytes: Buffer; maxUnits: number },
  options: { signal: AbortSignal; limits: ReadingLimits },
): Promise<string> {
  const { type, bytes, maxUnits } = document;
  return runApart(new URL('./excerpt-process.ts', import.meta.url), { type, maxUnits, bytes }, options);
}
