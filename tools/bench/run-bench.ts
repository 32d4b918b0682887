import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cleanup } from './cleanup.ts';
import { root } from './installation/root.ts';
import { describeMachine, type Machine } from './measure/machine.ts';
import { watchOtherWork } from './measure/other-work.ts';
import type { Options, PartName } from './options.ts';
import type { Part, PartResult } from './part.ts';
import { admission } from './parts/admission.ts';
import { archive } from './parts/archive.ts';
import { authorization } from './parts/authorization.ts';
import { consolePart } from './parts/console.ts';
import { endToEnd } from './parts/end-to-end.ts';
import { endurance } from './parts/endurance.ts';
import { flood } from './parts/flood.ts';
import { gateway } from './parts/gateway.ts';
import { growth } from './parts/growth.ts';
import { listsPart } from './parts/lists.ts';
import { live } from './parts/live.ts';
import { mail } from './parts/mail.ts';
import { manyAtOnce } from './parts/many-at-once.ts';
import { media } from './parts/media.ts';
import { resolve } from './parts/resolve.ts';
import { start } from './parts/start.ts';
import { tenantRead } from './parts/tenant-read.ts';
import { usage } from './parts/usage.ts';
import { workers } from './parts/workers.ts';
import { type Aim, aimsTable } from './report/aims.ts';
import { markdownOf, type RecordedAim, type Run, withRun, withTable } from './report/aims-record.ts';
import { type Chart, drawChart } from './report/chart.ts';
import { drawHotPath } from './report/hot-paths.ts';
import { figure, printChecks, printTable } from './report/table.ts';

const parts: Record<PartName, Part> = {
  admission,
  archive,
  authorization,
  console: consolePart,
  gateway,
  'end-to-end': endToEnd,
  endurance,
  flood,
  growth,
  lists: listsPart,
  live,
  mail,
  'many-at-once': manyAtOnce,
  media,
  resolve,
  start,
  'tenant-read': tenantRead,
  usage,
  workers,
};
const cleanup = new Cleanup();
/** The folder of the pictures of `docs/performance.md`. */
const pictureDir = join(root, 'docs', 'performance');

/**
 * Runs the parts and prints their figures. The exit code is 1 if a count is wrong. Times never cause a failure.
 */
export async function runBench(options: Options): Promise<void> {
  try {
    await measure(options);
  } catch (error) {
    if (!cleanup.isEnding) console.error(`bench: ${(error as Error).stack ?? String(error)}`);
    process.exitCode = 1;
  }
}

async function measure(options: Options): Promise<void> {
  if (process.platform !== 'linux')
    throw new Error('the benchmark reads CPU and memory from /proc: run it on Linux');
  const time = new Date().toISOString().replaceAll(':', '-').slice(0, 19);
  const home = join(root, '.data', 'bench');
  const work = join(home, `work-${time}`);
  // If this process is root, Postgres runs as another user, who needs access to the folder.
  await mkdir(work, { recursive: true, mode: 0o711 });
  const removeWork = () => rm(work, { recursive: true, force: true });
  stopOnSignals(removeWork);
  try {
    const machine = await describeMachine(work);
    console.log(machineLine(machine));
    const otherWork = watchOtherWork();
    const results = await runParts(options, {
      work,
      profileDir: options.isProfiled ? join(home, `${time}-profiles`) : undefined,
    });
    const aims = Object.values(results).flatMap((result) => result.aims ?? []);
    if (aims.length > 0) console.log(`\n${printTable(aimsTable(aims))}`);
    const run = { at: new Date(), command: commandOf(options), otherWork: otherWork() };
    console.log(`\nOther work used ${figure(run.otherWork * 100)} % of the machine during the run.`);
    const file = join(home, `${time}.json`);
    await writeFile(file, `${JSON.stringify({ at: time, machine, options, run, results }, null, 2)}\n`);
    console.log(`\nwrote ${file}`);
    if (Object.values(results).some(({ checks }) => checks.some(({ isRight }) => !isRight)))
      process.exitCode = 1;
    else if (options.isRecorded) await record(aims, run);
  } finally {
    await cleanup.run();
    await removeWork();
  }
}

async function runParts(
  { parts: wanted, drawsPictures, isRecorded: _, ...sizes }: Options,
  { work, profileDir }: { work: string; profileDir: string | undefined },
): Promise<Partial<Record<PartName, PartResult>>> {
  const results: Partial<Record<PartName, PartResult>> = {};
  for (const name of wanted) {
    const dir = join(work, name);
    await mkdir(dir, { mode: 0o711 });
    const own = profileDir && join(profileDir, name);
    const result = await parts[name]({
      ...sizes,
      dir,
      profileDir: own,
      cleanup,
      say: (line) => say(name, line),
    });
    say(name, 'stopping all processes');
    await cleanup.run();
    await rm(dir, { recursive: true, force: true });
    results[name] = result;
    console.log(
      ['', ...result.tables.map(printTable), printChecks(result.checks)].filter(Boolean).join('\n\n'),
    );
    if (own) console.log(`CPU profiles in ${own}`);
    if (drawsPictures) await drawPictures(result.charts ?? []);
    const drawn =
      drawsPictures && own && (await drawHotPath(name, { profileDir: own, pictureDir, on: new Date() }));
    if (drawn) console.log(`drawn: ${drawn}`);
  }
  return results;
}

async function drawPictures(charts: readonly Chart[]): Promise<void> {
  await mkdir(pictureDir, { recursive: true });
  for (const chart of charts) {
    const file = join(pictureDir, `${chart.file}.svg`);
    await writeFile(file, drawChart(chart));
    console.log(`drawn: ${file}`);
  }
}

/** Updates the page's table, which shows the last measurement of each aim. */
async function record(aims: readonly Aim[], run: Run): Promise<void> {
  const list = join(pictureDir, 'aims.json');
  const page = join(root, 'docs', 'performance.md');
  const known = JSON.parse(await readFile(list, 'utf8')) as RecordedAim[];
  const recorded = withRun(known, aims, run);
  await writeFile(list, `${JSON.stringify(recorded, null, 2)}\n`);
  await writeFile(page, withTable(await readFile(page, 'utf8'), markdownOf(recorded)));
  console.log(`recorded in ${page}`);
}

function commandOf({ parts: names, rounds, seconds }: Options): string {
  return `npm run bench -- ${names.join(' ')} --rounds ${rounds} --seconds ${seconds}`;
}

function say(part: PartName, line: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${part}: ${line}`);
}

function machineLine({ cpu, cores, memoryGib, node, otherWork, fdatasyncMs }: Machine): string {
  const busy = otherWork > 0.1 ? ' The machine is busy with other work: trust ratios only.' : '';
  return `${cores} × ${cpu}, ${memoryGib} GiB, Node ${node}, other work ${figure(otherWork * 100)} %, fdatasync ${figure(fdatasyncMs)} ms.${busy}`;
}

function stopOnSignals(removeWork: () => Promise<void>): void {
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isEnding) process.exit(1);
      isEnding = true;
      console.error(`${signal}: stopping all processes; press Ctrl-C again to exit immediately`);
      void cleanup
        .end()
        .then(removeWork)
        .finally(() => process.exit(130));
    });
  }
}
