import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clientTypesFile, createClientTypes } from '../../libs/client/generate/types.ts';
import { generatedDocuments } from './documents.ts';
import { admitSamples } from './sample-manifest.ts';

const root = new URL('../../', import.meta.url);

/** Registers new samples and writes all generated documents. Tests compare the documents with the repository. */
export async function generateAll(): Promise<void> {
  for (const path of admitSamples()) console.log(`registered ${path}`);
  const documents = generatedDocuments();
  for (const [path, text] of documents) write(path, text);
  write(clientTypesFile, await createClientTypes(JSON.parse(documents.get('docs/openapi.json') ?? '')));
}

function write(path: string, text: string): void {
  writeFileSync(fileURLToPath(new URL(path, root)), text);
  console.log(`wrote ${path}`);
}
