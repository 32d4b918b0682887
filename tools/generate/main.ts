import { readCommandLine } from '../command-line/read-command-line.ts';

readCommandLine({
  name: 'npm run generate',
  about:
    'Registers new samples of events, generates the documents in docs/ and the types of the client from ' +
    'contracts, events and samples, and draws the module graphs.',
  examples: [
    {
      command: 'npm run generate',
      about: 'after changing a contract, an event, a sample or the imports of a module',
    },
    { command: 'npm run generate && git diff docs', about: 'show how the change affects the documents' },
  ],
});

// Imported late, because it takes a second to load and the help doesn't need it.
const { generateAll } = await import('./generate-all.ts');

await generateAll();
