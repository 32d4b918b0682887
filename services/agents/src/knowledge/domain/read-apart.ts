import type { SourceType } from '@botyard/contracts/http/context-sources';
import { type ReadingLimits, runApart } from '@botyard/shared/files/documents/run-apart';
import type { NewChunk } from '../store/reading.ts';

export const readingLimits: ReadingLimits = { timeoutMs: 20_000, maxMegabytes: 256 };

/**
 * Reads a document's passages in a process of its own. @throws Unreadable, and the signal's reason if it is aborted.
 */
export function readApart(
  document: { type: SourceType; bytes: Buffer },
  signal: AbortSignal,
  limits: ReadingLimits = readingLimits,
): Promise<NewChunk[]> {
  const { type, bytes } = document;
  return runApart(new URL('./read-process.ts', import.meta.url), { type, bytes }, { signal, limits });
}
