import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { spawnGuarded } from '../guarded-process.ts';
import { waitUntil } from '../wait-until.ts';
import { isAlive } from './temporary.ts';

const parentScript = fileURLToPath(new URL('fixtures/guarding-parent.ts', import.meta.url));
const sleeper = {
  file: '/bin/sleep',
  args: ['600'],
  env: {},
  cwd: '/',
  orphanSignal: 'TERM',
  onLine: () => {},
} as const;

test('a process ends when the one that started it is killed with -9', async () => {
  const parent = spawn(process.execPath, [parentScript], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const child = Number(line);
  onTestFinished(() => {
    if (isAlive(child)) process.kill(child, 'SIGKILL');
  });
  expect(isAlive(child)).toBe(true);
  parent.kill('SIGKILL');
  expect(await waitUntil(() => (isAlive(child) ? undefined : 'gone'), { timeoutMs: 60_000 })).toBe('gone');
});

test('a process that ends by itself reports its exit code and its last output', async () => {
  const lines: string[] = [];
  const child = spawnGuarded({
    ...sleeper,
    file: '/bin/sh',
    args: ['-c', 'echo last words; exit 3'],
    onLine: (line) => lines.push(line),
  });
  expect(await child.exited).toBe(3);
  expect(lines).toEqual(['last words']);
});

test('a process that ignores the first signal gets the next', async () => {
  const ready = Promise.withResolvers<void>();
  const script = 'trap "" TERM; echo ready; while :; do sleep 0.1; done';
  const child = spawnGuarded({
    ...sleeper,
    file: '/bin/sh',
    args: ['-c', script],
    onLine: () => ready.resolve(),
  });
  await ready.promise;
  await child.end([
    { signal: 'SIGTERM', waitMs: 200 },
    { signal: 'SIGKILL', waitMs: 5000 },
  ]);
  expect(await child.exited).toBeNull();
});

test('a missing program is a clear error', () => {
  expect(() => spawnGuarded({ ...sleeper, file: '/no/such/program' })).toThrow(
    "/no/such/program can't be started",
  );
});
