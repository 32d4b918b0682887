/**
 * The sandbox as a process: `node tools/sandbox/main.ts`. One line of JSON on stdout tells when it is ready; errors go
 * to stderr.
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
    { command: 'node tools/sandbox/main.ts', about: 'as the launcher starts it' },
    {
      command: 'SANDBOX_PORT=4000 SANDBOX_DIR=./sandbox node tools/sandbox/main.ts',
      about: 'at another port, with what people did kept in another folder',
    },
  ],
});

try {
  const settings = readSettings(process.env);
  if (settings.platforms.length === 0) {
    process.stdout.write('sandbox: not needed, every platform is a real one\n');
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
  // The launcher's end of the IPC channel is gone, so nothing else would stop this process.
  process.on('disconnect', () => void stop());
  collectAfterStart();
  process.stdout.write(`${JSON.stringify({ ready: true, url: sandbox.url })}\n`);
} catch (error) {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
