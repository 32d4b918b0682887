import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

async function startProcess(env: Record<string, string> = {}) {
  const child = fork(main, [], { env: { ...process.env, SANDBOX_PORT: '0', ...env }, silent: true });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return { child, line: line.toString('utf8') };
}

test.each(['SIGTERM', 'SIGINT', 'disconnect'])(
  'prints one readiness line and ends cleanly on %s',
  async (how) => {
    const { child, line } = await startProcess();
    const ready = JSON.parse(line) as { ready: boolean; url: string };
    expect(ready).toEqual({ ready: true, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    // An open stream of events, as a page holds it, must not keep the process.
    const events = await fetch(`${ready.url}/api/events`);
    const exited = once(child, 'exit');
    if (how === 'disconnect') child.disconnect();
    else child.kill(how as 'SIGTERM' | 'SIGINT');
    expect(await exited).toEqual([0, null]);
    await events.text().catch(() => undefined);
  },
);

test('a setting that is wrong is one line on stderr and exit code 1', async () => {
  const child = fork(main, [], { env: { ...process.env, SANDBOX_PORT: 'many' }, silent: true });
  const said: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(Buffer.concat(said).toString('utf8')).toBe(
    'sandbox: SANDBOX_PORT must be a number from 0 to 65535\n',
  );
});
