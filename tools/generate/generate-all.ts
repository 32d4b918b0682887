import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clientTypesFile, createClientTypes } from '../../libs/client/generate/types.ts';
import { generatedDocuments } from './documents.ts';
import { admitSamples } from './sample-manifest.ts';

const root = new URL('../../', import.meta.url);

/** Takes in new samples, and writes what follows from contracts, events, samples and imports. Tests compare. */
export async function generateAll(): Promise<void> {
  for (const path of admitSamples()) console.log(`taken in: ${path}`);
  const documents = generatedDocuments();
  for (const [path, text] of documents) write(path, text);
  write(clientTypesFile, await createClientTypes(JSON.parse(documents.get('docs/openapi.json') ?? '')));
}

function write(path: string, text: string): void {
  writeFileSync(fileURLToPath(new URL(path, root)), text);
  console.log(`wrote ${path}`);
}
