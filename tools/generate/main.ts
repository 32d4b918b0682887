/** `npm run generate`: takes in new samples, and writes what follows from contracts, events and samples. Tests compare. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedDocuments } from './documents.ts';
import { admitSamples } from './sample-manifest.ts';

const root = new URL('../../', import.meta.url);

for (const path of admitSamples()) console.log(`a new sample: ${path}`);
for (const [path, text] of generatedDocuments()) {
  writeFileSync(fileURLToPath(new URL(path, root)), text);
  console.log(`wrote ${path}`);
}
