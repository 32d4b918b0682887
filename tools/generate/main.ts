import { readCommandLine } from '../command-line/read-command-line.ts';

readCommandLine({
  name: 'npm run generate',
  about:
    'Takes in new samples of events, and writes the documents in docs/ and the types of the client that follow from contracts, events and samples, and draws which module imports which.',
  examples: [
    {
      command: 'npm run generate',
      about: 'after a change of a contract, an event, a sample or what a module imports',
    },
    { command: 'npm run generate && git diff docs', about: 'what the change means for the documents' },
  ],
});

// Loaded late: the help doesn't need it, and it takes a second.
const { generateAll } = await import('./generate-all.ts');

await generateAll();
