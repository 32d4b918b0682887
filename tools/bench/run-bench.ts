import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cleanup, runTool } from '../rig/cleanup.ts';
import { root } from '../rig/service-process.ts';
import { figure, printChecks, printTable } from '../rig/table.ts';
import { describeMachine, type Machine } from './measure/machine.ts';
import { watchOtherWork } from './measure/other-work.ts';
import type { Options, PartName } from './options.ts';
import type { Part, PartResult } from './part.ts';
import { admission } from './parts/admission.ts';
import { consolePart } from './parts/console.ts';
import { endToEnd } from './parts/end-to-end.ts';
import { flood } from './parts/flood.ts';
import { gateway } from './parts/gateway.ts';
import { growth } from './parts/growth.ts';
import { start } from './parts/start.ts';
import { tenantRead } from './parts/tenant-read.ts';
import { visitors } from './parts/visitors.ts';
import { type Aim, aimsTable } from './report/aims.ts';
import { markdownOf, type RecordedAim, type Run, withRun, withTable } from './report/aims-record.ts';

const parts: Record<PartName, Part> = {
  admission,
  console: consolePart,
  gateway,
  'end-to-end': endToEnd,
  flood,
  growth,
  start,
  'tenant-read': tenantRead,
  visitors,
};

/** Runs the parts and prints their figures. The exit code is 1 if a count is wrong. Times never cause a failure. */
export async function runBench(options: Options): Promise<void> {
  await runTool('bench', (cleanup) => measure(options, cleanup));
}

/** Resolves to false if a count is wrong. */
async function measure(options: Options, cleanup: Cleanup): Promise<boolean> {
  if (process.platform !== 'linux')
    throw new Error('the benchmark reads CPU and memory from /proc: run it on Linux');
  const time = new Date().toISOString().replaceAll(':', '-').slice(0, 19);
  const home = join(root, '.data', 'bench');
  const work = join(home, `work-${time}`);
  // If this process is root, Postgres runs as another user, who needs access to the folder.
  await mkdir(work, { recursive: true, mode: 0o711 });
  const removeWork = () => rm(work, { recursive: true, force: true });
  await cleanup.add(removeWork);
  const machine = await describeMachine(work);
  console.log(machineLine(machine));
  const otherWork = watchOtherWork();
  const profiles = options.isProfiled ? join(home, `${time}-profiles`) : undefined;
  const results: Partial<Record<PartName, PartResult>> = {};
  for (const name of options.parts) {
    const dir = join(work, name);
    await mkdir(dir, { recursive: true, mode: 0o711 });
    const profileDir = profiles && join(profiles, name);
    const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${name}: ${line}`);
    const result = await parts[name]({ ...options, dir, profileDir, cleanup, say });
    say('stopping all processes');
    await cleanup.run();
    await removeWork();
    results[name] = result;
    console.log(
      ['', ...result.tables.map(printTable), printChecks(result.checks)].filter(Boolean).join('\n\n'),
    );
    if (profileDir) console.log(`CPU profiles in ${profileDir}`);
  }
  const aims = Object.values(results).flatMap((result) => result.aims ?? []);
  if (aims.length > 0) console.log(`\n${printTable(aimsTable(aims))}`);
  const run = { at: new Date(), command: commandOf(options), otherWork: otherWork() };
  console.log(`\nOther work used ${figure(run.otherWork * 100)} % of the machine during the run.`);
  const file = join(home, `${time}.json`);
  await writeFile(file, `${JSON.stringify({ at: time, machine, options, run, results }, null, 2)}\n`);
  console.log(`\nwrote ${file}`);
  const areRight = Object.values(results).every(({ checks }) => checks.every(({ isRight }) => isRight));
  if (areRight && options.isRecorded) await record(aims, run);
  return areRight;
}

/** Updates the page's table, which shows the last measurement of each aim. */
async function record(aims: readonly Aim[], run: Run): Promise<void> {
  const list = join(root, 'docs', 'performance', 'aims.json');
  const page = join(root, 'docs', 'performance.md');
  const recorded = withRun(JSON.parse(await readFile(list, 'utf8')) as RecordedAim[], aims, run);
  await writeFile(list, `${JSON.stringify(recorded, null, 2)}\n`);
  await writeFile(page, withTable(await readFile(page, 'utf8'), markdownOf(recorded)));
  console.log(`recorded in ${page}`);
}

function commandOf({ parts: names, rounds, seconds, beside }: Options): string {
  const compared = beside === undefined ? '' : ' --beside FOLDER';
  return `npm run bench -- ${names.join(' ')} --rounds ${rounds} --seconds ${seconds}${compared}`;
}

function machineLine({ cpu, cores, memoryGib, node, otherWork, fdatasyncMs }: Machine): string {
  const busy = otherWork > 0.1 ? ' The machine is busy with other work: trust ratios only.' : '';
  return `${cores} × ${cpu}, ${memoryGib} GiB, Node ${node}, other work ${figure(otherWork * 100)} %, fdatasync ${figure(fdatasyncMs)} ms.${busy}`;
}
