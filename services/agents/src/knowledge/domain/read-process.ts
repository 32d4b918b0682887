/** A process for one document: see `reader.ts`. */
import type { SourceType } from '@botyard/contracts/http/context-sources';
import { readSections } from '@botyard/shared/files/documents/read-sections';
import { Unreadable } from '@botyard/shared/files/documents/sections';
import { serveTask } from '@botyard/shared/work/thread-tasks';
import type { NewChunk } from '../store/reading.ts';
import { tsvectorOf } from '../store/words.ts';
import { passagesOf } from './chunks.ts';

const maxUnits = 5_000_000;
const maxPassagesOfDocument = 10_000;

/**
 * A document's passages, ready to be stored. Runs only where a hostile document can do no harm. @throws Unreadable
 */
async function readDocument(type: SourceType, bytes: Uint8Array): Promise<NewChunk[]> {
  const sections = await readSections(type, bytes);
  const units = sections.reduce((sum, { text }) => sum + text.length, 0);
  if (units > maxUnits) throw new Unreadable('The document holds more than 5,000,000 characters of text.');
  const passages = passagesOf(sections);
  if (passages.length === 0) throw new Unreadable('The document holds no text.');
  if (passages.length > maxPassagesOfDocument)
    throw new Unreadable('The document has more than 10,000 passages: divide it.');
  return passages.map(({ heading, text }) => ({ heading, text, words: tsvectorOf({ heading, text }) }));
}

serveTask(({ type, bytes }: { type: SourceType; bytes: Uint8Array }) => readDocument(type, bytes));
