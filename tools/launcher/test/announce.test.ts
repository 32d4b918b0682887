import { expect, test } from 'vitest';
import { readLauncherSettings } from '../settings/settings.ts';
import { announce } from '../terminal/announce.ts';

function linesWith(env: Record<string, string>): string[] {
  const lines: string[] = [];
  const terminal = { say: (line: string) => lines.push(line), complain: () => {}, from: () => {} };
  const settings = readLauncherSettings(env);
  const toolServerUrl = settings.runsToolServer ? 'http://127.0.0.1:3003/mcp' : undefined;
  const news = { terminal, settings, port: 3001, sandboxUrl: undefined, toolServerUrl, demoBot: undefined };
  announce({ ...news, seconds: 1 });
  return lines;
}

test('a public WEBHOOK_BASE_URL in development mode: one line says what is reached there and what is not', () => {
  const about = (lines: string[]) => lines.filter((line) => line.includes('/webhooks'));
  expect(about(linesWith({ WEBHOOK_BASE_URL: 'https://bots.example.com' }))).toEqual([
    'https://bots.example.com: platforms reach /webhooks there; /api requires a session token there, but none at http://localhost:3001',
  ]);
  expect(about(linesWith({ WEBHOOK_BASE_URL: 'http://192.168.1.5:3001' }))).toHaveLength(1);
  for (const local of ['http://localhost:3001', 'http://127.0.0.1:8080', 'http://[::1]:3001'])
    expect(about(linesWith({ WEBHOOK_BASE_URL: local })), local).toEqual([]);
  expect(about(linesWith({ WEBHOOK_BASE_URL: 'https://bots.example.com', NODE_ENV: 'production' }))).toEqual(
    [],
  );
});

test('without an identity provider production says that nobody can sign in, and development does not', () => {
  const about = (env: Record<string, string>) =>
    linesWith(env).filter((line) => line.includes('no one can sign in'));
  for (const NODE_ENV of ['production', 'staging']) {
    expect(about({ NODE_ENV })).toEqual([
      'IDP_ISSUER is not set: no one can sign in, and /api returns 401 for every request',
    ]);
    expect(about({ NODE_ENV, IDP_ISSUER: 'https://idp.example' })).toEqual([]);
  }
  expect(about({})).toEqual([]);
  // The sandbox issues session tokens.
  expect(about({ AUTH_DEV_MODE: 'false' })).toEqual([]);
  expect(about({ NODE_ENV: 'test', AUTH_DEV_MODE: 'false' })).toHaveLength(1);
});

test('a real messenger that can not reach this machine: one line says that its bots ask for their updates', () => {
  const about = (env: Record<string, string>) => linesWith(env).filter((line) => line.includes('updates'));
  const MESSENGER_API_URL = 'https://api.telegram.org';
  expect(about({ MESSENGER_API_URL })).toEqual([
    '  updates  polled from https://api.telegram.org (long polling)',
  ]);
  expect(about({ MESSENGER_API_URL, WEBHOOK_BASE_URL: 'https://bots.example.com' })).toEqual([]);
  expect(about({ MESSENGER_API_URL, MESSENGER_UPDATES: 'webhook' })).toEqual([]);
  expect(about({})).toEqual([]);
});

test('the MCP server for trials is announced where external tools are on, in development only', () => {
  const about = (env: Record<string, string>) => linesWith(env).filter((line) => line.includes('MCP server'));
  const TOOL_INTEGRATIONS_ENABLED = 'true';
  expect(about({ TOOL_INTEGRATIONS_ENABLED })).toEqual([
    expect.stringContaining('http://127.0.0.1:3003/mcp'),
  ]);
  expect(about({ TOOL_INTEGRATIONS_ENABLED, NODE_ENV: 'production' })).toEqual([]);
  expect(about({ TOOL_INTEGRATIONS_ENABLED: 'yes' })).toEqual([]);
  expect(about({})).toEqual([]);
});
