/**
 * `npm run console`: builds the console. The launcher and the image run the build script directly.
 */
import { readCommandLine } from '../command-line/read-command-line.ts';

readCommandLine({
  name: 'npm run console',
  about:
    'Builds the console into console/dist if its sources have changed, and prints the size of its first view.',
  examples: [
    { command: 'npm run console', about: 'after a change of the console, while "npm start" runs' },
    { command: 'rm -r console/dist && npm run console', about: 'a build from scratch' },
  ],
});
// Importing the script runs the build.
await import('../../console/build/main.ts');
