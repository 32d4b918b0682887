/** A process for a single document: see `read-excerpt.ts`. */
import { serveTask } from '../../work/thread-tasks.ts';
import { type DocumentType, readSections } from './read-sections.ts';

interface Given {
  type: DocumentType;
  bytes: Uint8Array;
  maxUnits: number;
}

serveTask(async ({ type, bytes, maxUnits }: Given) => {
  const sections = await readSections(type, bytes);
  return sections
    .map(({ heading, text }) => (heading === '' ? text : `${heading}\n${text}`))
    .join('\n\n')
    .trim()
    .slice(0, maxUnits)
    .toWellFormed();
});
