/**
 * `node tools/sandbox/main.ts` runs the sandbox as a process. It prints one line of JSON on stdout when it is ready,
 * and errors on stderr.
 */
import { collectAfterStart } from '@botyard/shared/service/collect-after-start';
import { readCommandLine } from '../command-line/read-command-line.ts';
import { startSandbox } from './sandbox.ts';
import { readSettings } from './settings.ts';

readCommandLine({
  name: 'node tools/sandbox/main.ts',
  about:
    'Starts the stand-ins for messenger, mailer, identity provider, models and tools, with their pages. Its settings are environment variables (SANDBOX_… in docs/settings.md).',
  examples: [
    { command: 'node tools/sandbox/main.ts', about: 'the sandbox as the launcher starts it' },
    {
      command: 'SANDBOX_PORT=4000 SANDBOX_DIR=./sandbox node tools/sandbox/main.ts',
      about: 'another port, with the state in another folder',
    },
  ],
});

try {
  const settings = readSettings(process.env);
  if (settings.platforms.length === 0) {
    process.stdout.write('sandbox: not needed, because every platform is a real one\n');
    process.exit(0);
  }
  const sandbox = await startSandbox(settings);
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await sandbox.stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
  // The launcher has died, so nothing else would stop this process.
  process.on('disconnect', () => void stop());
  collectAfterStart();
  process.stdout.write(`${JSON.stringify({ ready: true, url: sandbox.url })}\n`);
} catch (error) {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
