import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../embedded/free-port.ts';
import type { Bench } from '../../part.ts';
import { fetchDebianProgram } from '../fetch/debian-program.ts';
import { isListening, startForeign } from '../foreign-process.ts';

const packages = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1'];

/** Starts Redis with an append-only file that is synced every second, so it can lose about a second of data. */
export async function startRedis({
  dir,
  cleanup,
  say,
}: Bench): Promise<{ pid: number; port: number; version: string }> {
  const program = await fetchDebianProgram({ name: 'redis-server', packages });
  say(`Redis ${program.version}`);
  const [home, port] = [join(dir, 'redis'), await freePort()];
  await mkdir(home, { recursive: true });
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: home,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    // A rewrite of the file would distort one round. Without rewrites Redis has a slight advantage.
    'auto-aof-rewrite-percentage': 0,
  };
  const { pid } = await startForeign({
    file: program.file,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    env: program.env,
    cwd: home,
    cleanup,
    isReady: () => isListening(port),
  });
  return { pid, port, version: program.version };
}
