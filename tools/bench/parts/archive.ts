import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { startInstallation } from '../installation/installation.ts';
import { numberOf, writeOldMessages, writeOne } from '../installation/old-messages.ts';
import { connectAsOwner } from '../installation/owner.ts';
import { summarize } from '../load/latencies.ts';
import { type Watched, watchedWhile } from '../measure/database-watch.ts';
import type { Part } from '../part.ts';
import { type Check, check, figure, type Table } from '../report/table.ts';

const headers = { 'content-type': 'application/json' };
const before = '2026-01-01T00:00:00Z';
const searches = 20;

interface Answer {
  tenantId: string;
  jobId: string;
  requestId: string;
  state: string;
  messages: number;
  sizeBytes: number;
  files: number;
}

/**
 * Measures archiving, searching and trimming the old messages of one tenant, and erasing people from them, during
 * concurrent writes.
 */
export const archive: Part = async ({ dir, cleanup, messages: count, seconds, say }) => {
  const dataDir = join(dir, 'installation');
  const { gatewayUrl } = await startInstallation({ dataDir, cleanup });
  const get = callerOf(gatewayUrl);
  const [owner, writer, watcher] = [
    await connectAsOwner(dataDir, cleanup),
    await connectAsOwner(dataDir, cleanup),
    await connectAsOwner(dataDir, cleanup),
  ];
  const { tenantId } = await get('/api/bots/tenants', 'POST', { name: 'Bench' });
  await get('/api/tenant/select', 'POST', { tenantId });
  say(`writing ${count} messages`);
  await writeOldMessages(owner, { tenantId, count });
  const write = (client: pg.Client) => writeOne(client, { tenantId });
  const watched = new Map<string, Watched>();
  const timed = async (name: string, work: () => Promise<void>) => {
    say(name);
    watched.set(name, await watchedWhile({ writer, watcher, write }, work));
  };
  const job = async (kind: string) => {
    const { jobId } = await get(`/api/archival/${kind}`, 'POST', { before });
    await ended(() => get(`/api/archival/jobs/${jobId}`));
  };
  const erase = async (chat: number) => {
    const body = { platform: 'messenger', platformUserId: numberOf(chat) };
    const { requestId } = await get('/api/admin/gdpr/requests', 'POST', body);
    await ended(() => get(`/api/admin/gdpr/requests/${requestId}`));
  };
  const found: number[] = [];
  await timed('nothing', () => pause(seconds * 1000));
  await timed('archive all', () => job('archive'));
  const tree = await get('/api/archival/hierarchy');
  await timed('search', async () => {
    for (let n = 0; n < searches; n += 1) {
      const begin = performance.now();
      await get(
        `/api/archival/messages?limit=20&text=${encodeURIComponent(`Message ${Math.floor((count / searches) * n)}:`)}`,
      );
      found.push(performance.now() - begin);
    }
  });
  await timed('erase a person, of table and archive', () => erase(1));
  await timed('trim all', () => job('trim'));
  await timed('erase a person, of the archive alone', () => erase(3));
  const left = await leftOf(owner, tenantId);
  const after = await get('/api/archival/hierarchy');
  return {
    tables: [tableOf(count, tree, watched), searchTable(found)],
    checks: checksOf({ count, tree, after, left }),
    rounds: { watched: Object.fromEntries(watched), found },
  };
};

type Caller = (path: string, method?: string, body?: object) => Promise<Answer>;

function callerOf(gatewayUrl: string): Caller {
  return async (path, method = 'GET', body) => {
    const sent = body ? { headers, body: JSON.stringify(body) } : {};
    const answer = await fetch(`${gatewayUrl}${path}`, { method, ...sent });
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
}

async function ended(look: () => Promise<Answer>): Promise<void> {
  for (;;) {
    const { state } = await look();
    if (state === 'done') return;
    if (state === 'failed' || state === 'cancelled') throw new Error(`the job ended as ${state}`);
    await pause(100);
  }
}

/** Counts the old messages and the messages of erased people that are left in the table. */
async function leftOf(owner: pg.Client, tenantId: string): Promise<{ old: number; named: number }> {
  const { rows } = await owner.query<{ old: number; named: number }>(
    `select count(*) filter (where created_at < $2)::int as old,
       count(*) filter (where sender ->> 'platformUserId' = any ($3))::int as named from agents.messages where tenant_id = $1`,
    [tenantId, before, [numberOf(1), numberOf(3)]],
  );
  return rows[0]!;
}

function checksOf(seen: {
  count: number;
  tree: Answer;
  after: Answer;
  left: { old: number; named: number };
}): Check[] {
  const { count, tree, after, left } = seen;
  return [
    check('messages in the archive', count, tree.messages),
    check('old messages left in the table', 0, left.old),
    check('messages of erased persons left in the table', 0, left.named),
    {
      what: 'lines left the archive',
      isRight: after.messages < tree.messages,
      detail: `${tree.messages - after.messages}`,
    },
  ];
}

function tableOf(count: number, { files, sizeBytes }: Answer, watched: ReadonlyMap<string, Watched>): Table {
  return {
    title: `Archive: ${count} messages of one tenant, in ${files} files of ${figure(sizeBytes / 2 ** 20)} MB`,
    head: [
      'what',
      's',
      'longest write beside, ms',
      'writes beside',
      'longest transaction, ms',
      'waiting for a lock',
    ],
    rows: [...watched].map(([name, seen]) => [
      name,
      figure(seen.seconds),
      figure(seen.longestWriteMs),
      String(seen.writes),
      figure(seen.longestTransactionMs),
      String(seen.maxWaiting),
    ]),
    notes: [
      'write beside: a message and its chat, in the same tenant, every 5 ms; "nothing" is the same while nothing else happens.',
      'longest transaction, waiting: of all services, looked at every 20 ms.',
    ],
  };
}

function searchTable(found: readonly number[]): Table {
  const { p50Ms, p99Ms } = summarize([...found]);
  return {
    title: 'Searching the archive for a text that one message has, through the gateway',
    head: ['p50 ms', 'p99 ms'],
    rows: [[figure(p50Ms), figure(p99Ms)]],
    notes: ['a page reads 20 files at most: what lies further back is on a later page.'],
  };
}
