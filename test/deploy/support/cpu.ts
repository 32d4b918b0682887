import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ticksPerSecond = 100;
/** The engine's own processes; they also pay for the processes of health checks. */
const engineProcesses = ['dockerd', 'containerd', 'containerd-shim'];

/** Processor seconds that the control group of a process has used so far; cgroups of version 1 and 2. */
export async function cpuOfContainer(pid: number): Promise<number> {
  const lines = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).trim().split('\n');
  const old = lines.find((line) => line.split(':')[1]?.split(',').includes('cpuacct'));
  if (old) {
    const usage = await readFile(
      join('/sys/fs/cgroup/cpuacct', old.split(':')[2] ?? '', 'cpuacct.usage'),
      'utf8',
    );
    return Number(usage) / 1e9;
  }
  const path = lines.find((line) => line.startsWith('0::'))?.slice(3) ?? '';
  const stat = await readFile(join('/sys/fs/cgroup', path, 'cpu.stat'), 'utf8');
  return Number(/^usage_usec (\d+)$/m.exec(stat)?.[1]) / 1e6;
}

/** Processor seconds of the engine itself and of the processes that it has waited for. */
export async function cpuOfEngine(): Promise<number> {
  let ticks = 0;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    if (
      !engineProcesses.some(
        (known) => name === known || (known.startsWith(name.slice(0, 15)) && name.length === 15),
      )
    )
      continue;
    // utime, stime, cutime and cstime are the fields 14 to 17; the first one here is the third.
    ticks += rest
      .split(' ')
      .slice(11, 15)
      .reduce((sum, field) => sum + Number(field), 0);
  }
  return ticks / ticksPerSecond;
}

/** The shares of one core that are used while nothing happens. */
export async function sharesOfCore<Name extends string>(
  cpuSecondsOf: Readonly<Record<Name, () => Promise<number>>>,
  { settleMs, measureMs }: { settleMs: number; measureMs: number },
): Promise<Record<Name, number>> {
  const names = Object.keys(cpuSecondsOf) as Name[];
  const read = () =>
    Promise.all(names.map(async (name) => ({ at: performance.now(), cpu: await cpuSecondsOf[name]() })));
  await pause(settleMs);
  const begin = await read();
  await pause(measureMs);
  const end = await read();
  const shares = names.map((name, index) => {
    const [from, to] = [begin[index]!, end[index]!];
    return [name, (to.cpu - from.cpu) / ((to.at - from.at) / 1000)] as const;
  });
  return Object.fromEntries(shares) as Record<Name, number>;
}
