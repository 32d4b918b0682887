import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@botyard/shared/db/database';
import { createLog } from '@botyard/shared/log/log';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { JournalFile } from '../../../src/delivery/domain/journal-file.ts';
import type { Next, SendEnd } from '../../../src/delivery/domain/send-end.ts';
import { SendJournal } from '../../../src/delivery/domain/send-journal.ts';

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

/** As an ended process leaves it: it names no chat. */
const newEnd = (): SendEnd => ({
  tenantId: randomUUID(),
  partId: randomUUID(),
  replyId: null,
  send: 1,
  end: 'sent',
  platformMessageId: '77',
});

/** The same in a file. */
const entryOf = ({ tenantId, partId }: SendEnd) => ({
  kind: 'part',
  tenantId,
  id: partId,
  send: 1,
  outcome: { state: 'sent', platformMessageId: '77' },
});

const journalWith = (settle: (end: SendEnd) => Next) =>
  new SendJournal({
    database,
    file: new JournalFile(folder, 'here'),
    settle: async (end) => settle(end),
    log: createLog('webhooks', 'silent'),
  });

const written: Next = 'empty';
const fails = (): Next => {
  throw new Error('away');
};

/** Its part exists. */
async function endOfPart(): Promise<SendEnd> {
  const end = newEnd();
  await harness.asOwner(
    `insert into webhooks.parts (tenant_id, part_id, bot_id, platform_chat_id, html, plain, state)
     values ($1, $2, gen_random_uuid(), '7', '', '', 'sending')`,
    [end.tenantId, end.partId],
  );
  return end;
}

/** As a process with this name would have left it. */
const leave = (name: string, outcomes: unknown) =>
  writeFile(join(folder, name), typeof outcomes === 'string' ? outcomes : JSON.stringify(outcomes));

/** No process has it. */
const deadPid = 2 ** 22 + 1;

test("outcomes that can't be written are in the file until they are, readable only by its owner", async () => {
  const end = newEnd();
  let isAway = true;
  const writing = journalWith(() => (isAway ? fails() : written)).write(end);
  const path = join(folder, `here.${process.pid}.json`);
  await eventually('it is written', () =>
    stat(path).then(
      ({ mode }) => (mode & 0o777) === 0o600,
      () => false,
    ),
  );
  const [left] = await new JournalFile(folder, 'here').listLeftBehind({ atStart: true });
  expect(left?.ends).toEqual([end]);
  isAway = false;
  expect(await writing).toEqual(written);
  expect(await readdir(folder)).toEqual([]);
});

test('once an end was written alone, the next ones are too, for a while', async () => {
  const journal = journalWith(() => written);
  expect(journal.isHampered).toBe(false);
  await journal.write(newEnd());
  expect(journal.isHampered).toBe(true);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5001);
  expect(journal.isHampered).toBe(false);
  clock.mockRestore();
});

test('T-06: after the time limit they stay in the file, and the next process writes them', async () => {
  const end = await endOfPart();
  const journal = journalWith(fails);
  const writing = journal.write(end);
  await eventually('one is kept', () => journal.count === 1);
  journal.giveUp();
  expect(await writing).toBeUndefined();
  const restored: SendEnd[] = [];
  const next = journalWith((one) => {
    restored.push(one);
    return written;
  });
  await next.restore({ atStart: true });
  expect(restored).toEqual([end]);
  expect(await readdir(folder)).toEqual([]);
});

test('a file of a running process is left to it; one of a dead process is taken over', async () => {
  const entry = entryOf(await endOfPart());
  await leave(`here.${process.pid}.json`, [entry]);
  await leave(`here.${process.ppid}.json`, [entry]);
  await leave('elsewhere.1.json', [entry]);
  await leave(`here.${deadPid}.json`, [entry]);
  await journalWith(() => written).restore({ atStart: false });
  expect((await readdir(folder)).sort()).toEqual(
    ['elsewhere.1.json', `here.${process.pid}.json`, `here.${process.ppid}.json`].sort(),
  );
});

test("another installation's outcomes are kept for it, for a day", async () => {
  await leave(`here.${deadPid}.json`, [entryOf(newEnd())]);
  const journal = journalWith(() => 'lost');
  await journal.restore({ atStart: true });
  expect(await readdir(folder)).toHaveLength(1);
  const yesterday = new Date(Date.now() - 25 * 3600_000);
  await utimes(join(folder, `here.${deadPid}.json`), yesterday, yesterday);
  await journal.restore({ atStart: true });
  expect(await readdir(folder)).toEqual([]);
});

test.each(['', '{', '{}', '[{"kind":"part"}]', '[{"kind":"other"}]'])(
  'a file with %j in it is put aside',
  async (content) => {
    await leave(`here.${deadPid}.json`, content);
    await journalWith(fails).restore({ atStart: true });
    expect(await readdir(folder)).toEqual([`here.${deadPid}.json.unreadable`]);
  },
);

const ofFile = () => ({ tenantId: randomUUID(), partId: randomUUID(), replyId: null, send: 1 });

test.each<SendEnd>([
  { ...ofFile(), end: 'sent', platformMessageId: null },
  { ...ofFile(), end: 'refused', reason: 'no', isAttempt: true },
  { ...ofFile(), end: 'uncertain', reason: 'no answer', waitMs: undefined },
  { ...ofFile(), end: 'uncertain', reason: 'no answer', waitMs: 0 },
  { ...ofFile(), end: 'later', reason: null, waitMs: 0, isAttempt: false },
])('what a file says of a send that ended as $end is the same for the next process', async (end) => {
  const file = new JournalFile(folder, 'here');
  await file.write([end]);
  expect((await file.listLeftBehind({ atStart: true }))[0]?.ends).toEqual([end]);
});
