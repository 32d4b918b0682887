import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ArchiveFixture } from './archive-fixture.ts';

let fixture: ArchiveFixture;
/** Holds a folder of crash marks for each killed process. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-failpoints-'));
  fixture = await ArchiveFixture.open();
  await fixture.agents.stop();
});
afterAll(async () => {
  await fixture?.harness.close();
  await rm(folder, { recursive: true, force: true });
});

/** A killed process can't release its lease. */
const endLeases = () =>
  fixture.harness.asOwner(`update agents.archive_jobs set lease_until = now() - interval '1 second'`);

test.each([
  ['archive', 'agents.archive.before-put'],
  ['archive', 'agents.archive.before-mark'],
  ['archive', 'agents.archive.after-mark'],
  ['trim', 'agents.trim.before-delete'],
] as const)(
  'a worker that is killed in %s at %s: another one continues, nothing is lost and nothing is duplicated',
  async (kind, point) => {
    const people = await fixture.tenant();
    const chat = await fixture.chat(people);
    await fixture.past(chat, 5000);
    const { tenantId } = people;
    const insert = (jobKind: string) =>
      fixture.harness.asOwner(
        `insert into agents.archive_jobs (tenant_id, job_id, kind, state, before) values ($1, gen_random_uuid(), $2, 'queued', now())`,
        [tenantId, jobKind],
      );
    if (kind === 'trim') {
      await fixture.startAgents();
      await fixture.run(people, 'archive');
      await fixture.agents.stop();
    }
    await insert(kind);
    const killed = await fixture.harness.startProcess('agents', {
      FAILPOINTS: `${point}:crash*2`,
      FAILPOINTS_DIR: await mkdtemp(join(folder, 'marks-')),
    });
    expect((await killed.ended).signal).toBe('SIGKILL');
    await endLeases();
    await fixture.startAgents();
    const [job] = await fixture.harness.asOwner<{ job_id: string }>(
      `select job_id from agents.archive_jobs where tenant_id = $1 and kind = $2 order by created_at desc limit 1`,
      [tenantId, kind],
    );
    const done = await fixture.over(people, job!.job_id);
    expect(done).toMatchObject({ state: 'done', faults: [] });
    expect(done.progress.messagesDone).toBe(5000);
    if (kind === 'archive') await fixture.run(people, 'trim');
    expect(await fixture.left(people)).toBe(0);
    const archived = await fixture.search(people, `chatId=${chat.chatId}&limit=500`);
    expect(archived.map(({ text }) => text).reverse()).toEqual(
      Array.from({ length: 5000 }, (_, n) => `word ${n + 1}`),
    );
    await expectNoOtherBytes(tenantId);
    await fixture.agents.stop();
  },
);

/** The object store holds exactly the objects of the index. */
async function expectNoOtherBytes(tenantId: string): Promise<void> {
  const files = await fixture.harness.asOwner<{ object_key: string; state: string }>(
    'select object_key, state from agents.archive_files where tenant_id = $1',
    [tenantId],
  );
  expect(files.every(({ state }) => state === 'kept')).toBe(true);
  const bus = await fixture.harness.busAs('agents');
  const { Objm } = await import('@nats-io/obj');
  const bucket = await new Objm(bus.live().jetstream).open(bus.names.bucket);
  const names = (await bucket.list()).map(({ name }) => name).filter((name) => name.startsWith(tenantId));
  expect(names.sort()).toEqual(files.map(({ object_key }) => object_key).sort());
}
