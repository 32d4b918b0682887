import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../command-line/read-command-line.ts';
import { compileCacheIn } from './processes/compile-cache.ts';

const { options } = readCommandLine({
  name: 'npm start',
  about:
    'Starts everything on this machine: Postgres, nats-server, the six services, sandbox platforms and a demo bot. Its settings are environment variables (docs/settings.md).',
  options: {
    watch: {
      type: 'flag',
      about:
        'Restarts a service when its sources change, and every service when those of a library do. One that fails waits for the next change. Changed migrations, settings, sandbox and console need a new start.',
    },
  },
  examples: [
    { command: 'npm start', about: 'everything, with sandbox platforms' },
    { command: 'npm start -- --watch', about: 'the same, for work on the services' },
    {
      command: 'MESSENGER_API_URL=https://api.telegram.org npm start',
      about: 'with bots of the real messenger',
    },
  ],
});

const root = fileURLToPath(new URL('../..', import.meta.url));
// Has to come before the imports that it is for; from the second start on it saves a third of the launcher's memory.
enableCompileCache(compileCacheIn(root));
const { runLauncher } = await import('./run-launcher.ts');

await runLauncher(root, { watches: options.watch });
