import { join } from 'node:path';
import { isLoopbackHost } from '@botyard/shared/http/local-request';
import type { DemoBot } from '../seed.ts';
import type { LauncherSettings } from '../settings/settings.ts';
import type { Terminal } from './terminal.ts';

interface News {
  terminal: Terminal;
  settings: LauncherSettings;
  port: number;
  sandboxUrl: string | undefined;
  toolServerUrl: string | undefined;
  demoBot: DemoBot | undefined;
  seconds: number;
}

/** Prints the running parts, their addresses and the next steps. */
export function announce(news: News): void {
  const { terminal, settings, port, sandboxUrl, toolServerUrl, demoBot, seconds } = news;
  const { say } = terminal;
  const { dataDir } = settings;
  say(`Botyard is up after ${seconds.toFixed(1)} s (${settings.mode})`);
  say(`  gateway  http://localhost:${port}`);
  if (sandboxUrl) say(`  sandbox  ${sandboxUrl} (stands in for ${settings.sandbox.join(', ')})`);
  if (toolServerUrl)
    say(
      `  tools    ${toolServerUrl} is an MCP server to try: add it in the console under Agents, Tool servers`,
    );
  if (settings.polledMessenger) say(`  updates  polled from ${settings.polledMessenger} (long polling)`);
  say(`  data     ${dataDir}, logs in ${join(dataDir, 'logs')}`);
  if (demoBot) say(`  next     open ${sandboxUrl} to chat with ${demoBot.name}, or: npm run chat -- "hello"`);
  say('  more     README.md; Ctrl-C stops everything');
  for (const line of whoGetsIn(settings, port)) say(line);
}

/** Returns a warning about who is admitted, if that may be surprising. */
function whoGetsIn(
  { isAuthOff, hasIdentityProvider, sandbox, host, webhookBaseUrl }: LauncherSettings,
  port: number,
): string[] {
  if (!isAuthOff)
    return hasIdentityProvider || sandbox.includes('idp')
      ? []
      : ['IDP_ISSUER is not set: no one can sign in, and /api returns 401 for every request'];
  const mode = `development mode: requests from this machine without a token act as an admin; bound to ${host}; put no proxy or tunnel in front`;
  const isPublic = webhookBaseUrl !== undefined && !isLoopbackHost(new URL(webhookBaseUrl).host);
  const reach = `${webhookBaseUrl}: platforms reach /webhooks there; /api requires a session token there, but none at http://localhost:${port}`;
  return isPublic ? [mode, reach] : [mode];
}
