import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@botyard/shared/db/database';
import { createLog } from '@botyard/shared/log/log';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { KnownOutcomes } from '../../../../src/delivery/domain/sending/known-outcomes.ts';
import { type KnownOutcome, OutcomeFile } from '../../../../src/delivery/domain/sending/outcome-file.ts';
import type { Settled } from '../../../../src/delivery/store/part-outcomes.ts';

let harness: ServiceHarness;
let database: Database;
let folder: string;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('webhooks');
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-outcomes-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
afterAll(() => harness?.close());

const newOutcome = (): KnownOutcome => ({
  kind: 'part',
  tenantId: randomUUID(),
  id: randomUUID(),
  send: 1,
  outcome: { state: 'sent', platformMessageId: '77' },
});

function outcomesWith(settle: (known: KnownOutcome) => Settled) {
  const part = async (_tx: unknown, known: KnownOutcome) => settle(known);
  return new KnownOutcomes({
    database,
    file: new OutcomeFile(folder, 'here'),
    settlers: { part, mail: part },
    onWritten: () => undefined,
    log: createLog('webhooks', 'silent'),
  });
}

const fails = (): Settled => {
  throw new Error('away');
};

/** As a process with this name would have left it. */
const leave = (name: string, outcomes: unknown) =>
  writeFile(join(folder, name), typeof outcomes === 'string' ? outcomes : JSON.stringify(outcomes));

/** No process has it. */
const deadPid = 2 ** 22 + 1;

test("outcomes that can't be written are in the file until they are, readable only by its owner", async () => {
  const known = newOutcome();
  let isAway = true;
  const outcomes = outcomesWith(() => (isAway ? fails() : 'written'));
  const saving = outcomes.save(known);
  const path = join(folder, `here.${process.pid}.json`);
  await eventually('it is written', () =>
    stat(path).then(
      ({ mode }) => (mode & 0o777) === 0o600,
      () => false,
    ),
  );
  const [left] = await new OutcomeFile(folder, 'here').listLeftBehind({ atStart: true });
  expect(left?.outcomes).toEqual([known]);
  isAway = false;
  expect(await saving).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});

test('T-06: after the time limit they stay in the file, and the next process writes them', async () => {
  const known = newOutcome();
  const outcomes = outcomesWith(fails);
  const saving = outcomes.save(known);
  await eventually('one is kept', () => outcomes.count === 1);
  outcomes.giveUp();
  expect(await saving).toBe(false);
  const written: KnownOutcome[] = [];
  const next = outcomesWith((one) => {
    written.push(one);
    return 'written';
  });
  await next.restore({ atStart: true });
  expect(written).toEqual([known]);
  expect(await readdir(folder)).toEqual([]);
});

test('a file of a running process is left to it; one of a dead process is taken over', async () => {
  const known = newOutcome();
  await leave(`here.${process.pid}.json`, [known]);
  await leave(`here.${process.ppid}.json`, [known]);
  await leave('elsewhere.1.json', [known]);
  await leave(`here.${deadPid}.json`, [known]);
  await outcomesWith(() => 'outdated').restore({ atStart: false });
  expect((await readdir(folder)).sort()).toEqual(
    ['elsewhere.1.json', `here.${process.pid}.json`, `here.${process.ppid}.json`].sort(),
  );
});

test("another installation's outcomes are kept for it, for a day", async () => {
  await leave(`here.${deadPid}.json`, [newOutcome()]);
  const outcomes = outcomesWith(() => 'missing');
  await outcomes.restore({ atStart: true });
  expect(await readdir(folder)).toHaveLength(1);
  const yesterday = new Date(Date.now() - 25 * 3600_000);
  await utimes(join(folder, `here.${deadPid}.json`), yesterday, yesterday);
  await outcomes.restore({ atStart: true });
  expect(await readdir(folder)).toEqual([]);
});

test.each(['', '{', '{}', '[{"kind":"part"}]', '[{"kind":"other"}]'])(
  'a file with %j in it is put aside',
  async (content) => {
    await leave(`here.${deadPid}.json`, content);
    await outcomesWith(fails).restore({ atStart: true });
    expect(await readdir(folder)).toEqual([`here.${deadPid}.json.unreadable`]);
  },
);
