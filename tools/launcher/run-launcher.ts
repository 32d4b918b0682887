import { ConfigError } from '@botyard/shared/config/config';
import { misspeltSettings } from '@botyard/shared/config/misspelt';
import { collectAfterStart } from '@botyard/shared/service/collect-after-start';
import { StartError } from '../embedded/start-error.ts';
import { Launch } from './launch.ts';
import { LauncherConfig, readLauncherSettings } from './settings/settings.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';

const parentPollMs = 500;

/** Runs the launcher process for the services under `root`, from start to stop. */
export async function runLauncher(root: string, { watches }: { watches: boolean }): Promise<void> {
  const terminal = createTerminal(process.stdout, process.stderr);
  try {
    const settings = readLauncherSettings(process.env);
    for (const line of misspeltSettings(LauncherConfig, process.env)) terminal.complain(line);
    const launch = new Launch({ root, env: process.env, settings, terminal, watches });
    stopOnSignals(launch, terminal);
    await start(launch);
  } catch (error) {
    terminal.complain(lineOf(error));
    process.exit(1);
  }
}

async function start(launch: Launch): Promise<void> {
  try {
    await launch.start();
    collectAfterStart();
  } catch (error) {
    // Pending starts fail during a stop, and the stop ends the process.
    if (launch.isStopping) return;
    await launch.stop();
    throw error;
  }
}

function stopOnSignals(launch: Launch, terminal: Terminal): void {
  const stop = async (why: string) => {
    if (launch.isStopping) {
      launch.kill();
      process.exit(1);
    }
    terminal.say(`${why}: stopping…`);
    await launch.stop();
    terminal.say('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(signal));
  // npm doesn't forward every signal, and its death sends none.
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const poll = setInterval(() => {
    if (process.ppid === parent || launch.isStopping) return;
    void stop('npm has ended');
  }, parentPollMs);
  poll.unref();
}

/** Errors that the user can fix are shown as one line, other errors with their stack. */
function lineOf(error: unknown): string {
  if (error instanceof StartError || error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
