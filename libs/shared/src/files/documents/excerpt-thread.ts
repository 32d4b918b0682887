/** A thread of its own for one document: see `read-excerpt.ts`. */
import { workerData } from 'node:worker_threads';
import { type DocumentType, readSections } from './read-sections.ts';
import { report } from './report.ts';

const { type, bytes, mostUnits } = workerData as {
  type: DocumentType;
  bytes: Uint8Array;
  mostUnits: number;
};

report(
  readSections(type, bytes).then((sections) =>
    sections
      .map(({ heading, text }) => (heading === '' ? text : `${heading}\n${text}`))
      .join('\n\n')
      .trim()
      .slice(0, mostUnits)
      .toWellFormed(),
  ),
);
