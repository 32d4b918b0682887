import { join } from 'node:path';
import type { DemoBot } from '../seed.ts';
import type { LauncherSettings } from '../settings/settings.ts';
import type { Terminal } from './terminal.ts';

interface News {
  terminal: Terminal;
  settings: LauncherSettings;
  port: number;
  sandboxUrl: string | undefined;
  demoBot: DemoBot | undefined;
  seconds: number;
}

/** What is up, where, and what to do next. */
export function announce({ terminal, settings, port, sandboxUrl, demoBot, seconds }: News): void {
  const { say } = terminal;
  const { dataDir } = settings;
  say(`Botyard is up after ${seconds.toFixed(1)} s (${settings.mode})`);
  say(`  gateway  http://localhost:${port}`);
  if (sandboxUrl) say(`  sandbox  ${sandboxUrl} (stands in for ${settings.sandbox.join(', ')})`);
  say(`  data     ${dataDir}, logs in ${join(dataDir, 'logs')}`);
  if (demoBot) say(`  next     open ${sandboxUrl} to chat with ${demoBot.name}, or: npm run chat -- "hello"`);
  say('  more     README.md; Ctrl-C stops everything');
  if (settings.isAuthOff)
    say(`development mode: every request without a token is an admin; bound to ${settings.host}`);
}
