import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestBot } from '../../agents-services.ts';
import { ask, call } from '../../answering/domain/loop/equipped.ts';
import { allowAll, botWithServers, openServerFixture, type ServerFixture } from '../named-server.ts';

let fixture: ServerFixture;
let bot: TestBot;

beforeAll(async () => {
  fixture = await openServerFixture();
  bot = await botWithServers(fixture, [fixture.serverId]);
});
beforeEach(() => {
  fixture.model.replyWith(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'done' : call('echo', {})));
});
afterAll(() => fixture?.close());

/** The server says how long its list stays as it is. */
function listFor(ttlMs: unknown): void {
  const tools = [{ name: 'echo', description: 'Repeats a text.', inputSchema: { type: 'object' } }];
  fixture.server.misbehave = ({ method }, res, id) => {
    if (method !== 'tools/list') return false;
    const result = { resultType: 'complete', cacheScope: 'public', ttlMs, tools };
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    return true;
  };
}

/** Whether a call reads the list again that was read so long ago. */
async function isReadAgain(ageSeconds: number): Promise<boolean> {
  await fixture.harness.asOwner(
    'update agents.tool_servers set checked_at = now() - make_interval(secs => $1) where server_id = $2',
    [ageSeconds, fixture.serverId],
  );
  const lists = () => fixture.server.received.filter(({ method }) => method === 'tools/list').length;
  const before = lists();
  expect((await ask(fixture, bot)).reply).toBe('done');
  return lists() > before;
}

test('a list is read again when it is older than its server says', async () => {
  listFor(60_000);
  await allowAll(fixture, fixture.serverId);
  expect(await isReadAgain(30)).toBe(false);
  expect(await isReadAgain(61)).toBe(true);
});

test('a list without a time, or with a very long one, is read again after five minutes', async () => {
  for (const ttlMs of [86_400_000, undefined]) {
    if (ttlMs === undefined) fixture.server.era = 'legacy';
    else listFor(ttlMs);
    await allowAll(fixture, fixture.serverId);
    expect(await isReadAgain(240)).toBe(false);
    expect(await isReadAgain(301)).toBe(true);
    fixture.server.misbehave = () => false;
  }
  fixture.server.era = 'both';
});

test('a server whose lists are stale at once is not read again within ten seconds', async () => {
  listFor(0);
  await allowAll(fixture, fixture.serverId);
  expect(await isReadAgain(1)).toBe(false);
  expect(await isReadAgain(11)).toBe(true);
});
