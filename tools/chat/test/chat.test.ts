import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listenOnLoopback, readBody, sendAnswer } from '@botyard/testing/fake/fake-server';
import { FakeMessenger } from '@botyard/testing/fake-messenger';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { readSettings } from '../../sandbox/settings.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
let dataDir: string;
let sandbox: Sandbox;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-'));
  sandbox = await startSandbox(readSettings({ SANDBOX_PORT: '0', SANDBOX_PLATFORMS: 'messenger' }));
});

afterEach(async () => {
  await sandbox.stop();
  await rm(dataDir, { recursive: true });
});

async function chat(...words: string[]) {
  const env = { ...process.env, DATA_DIR: dataDir };
  const run = promisify(execFile)(process.execPath, [main, ...words], { env });
  return run.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

function writeRunFile(): Promise<void> {
  const run = {
    gatewayUrl: 'http://127.0.0.1:1',
    sandboxUrl: sandbox.url,
    demoBot: { username: 'demo_bot', botId: 'b1' },
  };
  return writeFile(join(dataDir, 'run.json'), JSON.stringify(run));
}

test('shows who answers and every message of the answer', async () => {
  const messenger = sandbox.platforms.messenger ?? new FakeMessenger();
  messenger.addBot({ token: '4711:s', username: 'demo_bot', firstName: 'Demo' });
  const bot = `${sandbox.url}/messenger/bot4711:s`;
  const hook = await listenOnLoopback(async (req, res) => {
    const { message } = JSON.parse((await readBody(req)).toString('utf8'));
    sendAnswer(res, { status: 200 });
    for (const text of [`you said ${message.text}`, 'and a \u001b[2Jsecond part']) {
      await fetch(`${bot}/sendMessage`, {
        method: 'POST',
        body: new URLSearchParams({ chat_id: message.chat.id, text }),
      });
    }
  });
  await fetch(`${bot}/setWebhook?url=${hook.origin}/hook`);
  await writeRunFile();
  expect(await chat('hello', 'there')).toEqual({
    code: 0,
    stdout: 'Demo: you said hello there\nDemo: and a second part\n',
    stderr: '',
  });
  await hook.close();
});

test('says in one line what to do if Botyard is not running', async () => {
  expect(await chat('hello')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Botyard is not running. Start it with `npm start` or `docker compose up`.\n',
  });
});

test('a bot without a webhook has its own message', async () => {
  await writeRunFile();
  const { code, stderr } = await chat('hello');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^@demo_bot is not connected yet\. .*\n$/);
});
