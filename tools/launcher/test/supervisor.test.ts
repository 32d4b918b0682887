import { expect, onTestFinished, test } from 'vitest';
import { spawnGuarded } from '../../embedded/guarded-process.ts';
import { isAlive } from '../../embedded/test/temporary.ts';
import { waitUntil } from '../../embedded/wait-until.ts';
import { Supervisor, type Unit } from '../processes/supervisor.ts';

function shell(name: string, script: string): Unit {
  const start = async () => {
    const child = spawnGuarded({
      file: '/bin/sh',
      args: ['-c', script],
      env: { PATH: process.env.PATH },
      cwd: '/',
      orphanSignal: 'TERM',
      onLine: () => {},
    });
    const { pid, exited } = child;
    return {
      pid,
      exited,
      stop: () => child.end([{ signal: 'SIGKILL', waitMs: 5000 }]),
      kill: () => child.signal('SIGKILL'),
    };
  };
  return { name, start };
}

function createSupervisor() {
  const starts: number[] = [];
  const deaths: (number | null)[] = [];
  const faults: string[] = [];
  const supervisor = new Supervisor({
    onStart: (_, pid) => starts.push(pid),
    onDeath: (_, code) => deaths.push(code),
    onFailedRestart: (_, error) => faults.push(error.message),
  });
  onTestFinished(() => supervisor.killAll());
  return { supervisor, starts, deaths, faults };
}

const until = (condition: () => boolean) =>
  waitUntil(() => (condition() ? 'so it is' : undefined), { timeoutMs: 60_000, everyMs: 5 });

test('a process that dies is restarted, even after many deaths', async () => {
  const { supervisor, starts, deaths } = createSupervisor();
  await supervisor.keep(shell('mayfly', 'exec sleep 600'));
  for (let round = 1; round <= 4; round += 1) {
    process.kill(starts.at(-1) ?? 0, 'SIGKILL');
    await until(() => starts.length === round + 1);
  }
  expect(deaths).toEqual([null, null, null, null]);
  expect(supervisor.pidOf('mayfly')).toBe(starts.at(-1));
});

test('a stopped process stays stopped', async () => {
  const { supervisor, starts, deaths } = createSupervisor();
  const { pid } = await supervisor.keep(shell('sleeper', 'exec sleep 600'));
  await supervisor.stop(['sleeper']);
  expect(isAlive(pid)).toBe(false);
  expect(starts).toEqual([pid]);
  expect(deaths).toEqual([]);
});

test('stopping between a death and the restart starts nothing', async () => {
  const { supervisor, starts, deaths } = createSupervisor();
  await supervisor.keep(shell('crasher', 'exit 1'));
  await until(() => deaths.length > 0);
  await supervisor.stop(['crasher']);
  const last = starts.length;
  expect(isAlive(starts.at(-1) ?? 0)).toBe(false);
  await supervisor.stop(['crasher']);
  expect(starts.length).toBe(last);
});

test('a failed restart is retried', async () => {
  const { supervisor, starts, faults } = createSupervisor();
  const unit = shell('stubborn', 'exec sleep 600');
  let calls = 0;
  const start = () => {
    calls += 1;
    if (calls === 2) throw new Error('not yet');
    return unit.start();
  };
  await supervisor.keep({ name: 'stubborn', start: async () => start() });
  process.kill(starts[0] ?? 0, 'SIGKILL');
  expect(await until(() => starts.length === 2)).toBe('so it is');
  expect(faults).toEqual(['not yet']);
});

test('a failed first start is reported to the caller, and nothing starts once the stop has begun', async () => {
  const { supervisor } = createSupervisor();
  const broken = { name: 'broken', start: () => Promise.reject(new Error('no such thing')) };
  await expect(supervisor.keep(broken)).rejects.toThrow('no such thing');
  supervisor.beginStop();
  await expect(supervisor.keep(shell('late', 'exec sleep 600'))).rejects.toThrow('stopping');
});

test('a process that is restarted twice or stopped during a restart gets one signal', async () => {
  const { supervisor, starts, deaths } = createSupervisor();
  const unit = shell('finisher', 'exec sleep 600');
  let stops = 0;
  const start = async () => {
    const running = await unit.start();
    const stop = () => {
      stops += 1;
      return running.stop();
    };
    return { ...running, stop };
  };
  await supervisor.keep({ name: 'finisher', start });
  await Promise.all([supervisor.restart('finisher'), supervisor.restart('finisher')]);
  await until(() => starts.length === 2);
  await Promise.all([supervisor.restart('finisher'), supervisor.stop(['finisher'])]);
  expect(stops).toBe(2);
  expect({ starts: starts.length, deaths }).toEqual({ starts: 2, deaths: [] });
});
