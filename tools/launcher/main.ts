import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../command-line/read-command-line.ts';
import { compileCacheIn } from './processes/compile-cache.ts';

const { options } = readCommandLine({
  name: 'npm start',
  about:
    'Starts all of Botyard on this machine: Postgres, nats-server, the six services, sandbox platforms and a demo bot. Its settings are environment variables (docs/settings.md).',
  options: {
    watch: {
      type: 'flag',
      about:
        'Restarts a service when its sources change, and all services when a library changes. A service that fails is restarted after the next change. Changes of migrations, settings, sandbox and console need a new start.',
    },
  },
  examples: [
    { command: 'npm start', about: 'all of Botyard, with sandbox platforms' },
    { command: 'npm start -- --watch', about: 'the same, while you work on the services' },
    {
      command: 'MESSENGER_API_URL=https://api.telegram.org npm start',
      about: 'with bots of the real messenger',
    },
  ],
});

const root = fileURLToPath(new URL('../..', import.meta.url));
// Must precede the imports that it caches. From the second start on, it saves a third of the launcher's memory.
enableCompileCache(compileCacheIn(root));
const { runLauncher } = await import('./run-launcher.ts');

await runLauncher(root, { watches: options.watch });
