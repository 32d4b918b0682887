import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { spreadOf } from '../../rig/series.ts';
import { watchOtherWork } from './other-work.ts';

/** The machine on which the figures were measured. Figures of different machines can't be compared. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGib: number;
  node: string;
  /** The share of all processors that other work used before the benchmark, from 0 to 1. */
  otherWork: number;
  fdatasyncMs: number;
}

const syncs = 100;

/** Describes the machine. Takes a second. */
export async function describeMachine(dir: string): Promise<Machine> {
  const otherWork = watchOtherWork();
  await pause(1000);
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    otherWork: otherWork(),
    fdatasyncMs: medianSyncMs(dir),
  };
}

/** Measures the duration of an fdatasync, on which every durable step waits. */
function medianSyncMs(dir: string): number {
  const file = join(dir, 'sync-probe');
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(4096);
  const times: number[] = [];
  for (let count = 0; count < syncs; count += 1) {
    const begin = performance.now();
    writeSync(handle, block);
    fdatasyncSync(handle);
    times.push(performance.now() - begin);
  }
  closeSync(handle);
  rmSync(file);
  return spreadOf(times)?.median ?? Number.NaN;
}
