/** `npm run generate`: writes the documents that follow from the contracts and the events. A test compares them. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedDocuments } from './documents.ts';

const root = new URL('../../', import.meta.url);

for (const [path, text] of generatedDocuments()) {
  writeFileSync(fileURLToPath(new URL(path, root)), text);
  console.log(`wrote ${path}`);
}
