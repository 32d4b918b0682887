import { eventually } from '@botyard/testing/eventually';
import { startFakeModel } from '@botyard/testing/fake-model';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { whileBusy } from '@botyard/testing/while-busy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAgents, startTenancy } from '../../agents-services.ts';

let harness: ServiceHarness;
let people: People;
let others: People;
let model: Awaited<ReturnType<typeof startFakeModel>>;

beforeAll(async () => {
  [harness, model] = await Promise.all([ServiceHarness.open(), startFakeModel()]);
  const tenancy = await startTenancy({ harness });
  people = await createTenantWithPeople(harness, tenancy);
  others = await createTenantWithPeople(harness, tenancy);
});
afterAll(async () => {
  await harness?.close();
  await model?.close();
});

const add = async (agents: TestService, text: string, { admin: as } = people): Promise<string> => {
  const body = { title: 'Document', text };
  const answer = await whileBusy(() => agents.call('POST', '/api/context-sources', { as, body }));
  expect(answer.status).toBe(202);
  return answer.body.sourceId;
};

interface Kept {
  status: string;
  attempts: number;
  chunk_count: number;
  last_error: string | null;
  is_busy: boolean;
}

async function keptOf(sourceId: string): Promise<Kept> {
  const [row] = await harness.asOwner<Kept>(
    `select status, attempts, chunk_count, last_error, lease_until > now() as is_busy
     from agents.context_sources where source_id = $1`,
    [sourceId],
  );
  return row!;
}

const isRead = (sourceId: string) =>
  eventually('the document is read', async () => (await keptOf(sourceId)).status !== 'processing');

test('a process killed while it reads leaves the document to another, whole and once', async () => {
  const crashing = await harness.startProcess('agents', { FAILPOINTS: 'agents.document.read:crash' });
  const sourceId = await add(
    crashing,
    Array.from({ length: 30 }, (_, n) => `paragraph ${n}\n\n`.repeat(40)).join(''),
  );
  expect((await crashing.ended).signal).toBe('SIGKILL');
  expect(await keptOf(sourceId)).toMatchObject({ status: 'processing', attempts: 1, chunk_count: 0 });
  const next = await startAgents({ harness, model });
  await isRead(sourceId);
  const kept = await keptOf(sourceId);
  expect(kept).toMatchObject({ status: 'ready', attempts: 2 });
  const rows = await harness.asOwner<{ position: number }>(
    'select position from agents.context_chunks where source_id = $1 order by position',
    [sourceId],
  );
  expect(rows.map(({ position }) => position)).toEqual([...Array(kept.chunk_count).keys()]);
  await next.stop();
});

test('a document that killed its reader three times is dropped with a reason', async () => {
  const agents = await startAgents({ harness, model });
  await agents.stop();
  const sourceId = '019a0000-0000-7000-8000-00000000abcd';
  await harness.asOwner(
    `with source as (insert into agents.context_sources (tenant_id, source_id, title, type, size_bytes, sha256, status,
       ready_at, lease_until, attempts) values ($1, $2, 'x', 'text', 1, 'x', 'processing', now(), now(), 3))
     insert into agents.context_originals values ($1, $2, 'text')`,
    [people.tenantId, sourceId],
  );
  const next = await startAgents({ harness, model });
  await isRead(sourceId);
  expect(await keptOf(sourceId)).toMatchObject({
    status: 'failed',
    last_error: 'The document could not be read.',
  });
  await next.stop();
});

test('a service that stops gives its documents back, uncounted', async () => {
  const stopping = await startAgents({ harness, model });
  // Long enough to be under way; one tenant's documents wait for each other.
  const ids = await Promise.all(
    Array.from({ length: 6 }, (_, n) => add(stopping, `${n} ${'some words of it '.repeat(25_000)}`)),
  );
  await eventually('one is being read', async () =>
    (await Promise.all(ids.map(keptOf))).some(({ is_busy }) => is_busy),
  );
  await stopping.stop();
  const left = await Promise.all(ids.map(keptOf));
  expect(left.filter(({ is_busy }) => is_busy)).toEqual([]);
  expect(left.filter(({ status }) => status === 'processing').every(({ attempts }) => attempts === 0)).toBe(
    true,
  );
  expect(left.some(({ status }) => status === 'processing')).toBe(true);
  const next = await startAgents({ harness, model });
  for (const id of ids) await isRead(id);
  expect((await Promise.all(ids.map(keptOf))).map(({ status }) => status)).toEqual(ids.map(() => 'ready'));
  await next.stop();
});

test('a slow document of one tenant holds back its others, and not those of another tenant', async () => {
  const hanging = await harness.startProcess('agents', { FAILPOINTS: 'agents.document.read:hang' });
  const slow = [await add(hanging, 'one'), await add(hanging, 'two'), await add(hanging, 'three')];
  await isRead(await add(hanging, 'another', others));
  const attempts = (await Promise.all(slow.map(keptOf))).map((kept) => kept.attempts);
  expect(attempts.sort()).toEqual([0, 0, 1]);
  await hanging.stop();
});
