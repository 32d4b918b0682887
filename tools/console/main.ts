/**
 * `npm run console`: the build of the console, with a command line; the launcher and the image run the build itself.
 */
import { readCommandLine } from '../command-line/read-command-line.ts';

readCommandLine({
  name: 'npm run console',
  about:
    'Builds the console into console/dist when its sources have changed, and prints the size of its first view.',
  examples: [
    { command: 'npm run console', about: 'after a change of the console, while "npm start" runs' },
    { command: 'rm -r console/dist && npm run console', about: 'from nothing' },
  ],
});
// Its import is the build.
await import('../../console/build/main.ts');
