import type { ServerResponse } from 'node:http';
import { createEgress } from '@botyard/shared/http/egress/egress';
import { eventually } from '@botyard/testing/eventually';
import { FakeMcpServer } from '@botyard/testing/fake/fake-mcp-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CallWatch, callTool } from '../../../src/mcp/clients/server-call.ts';

let server: FakeMcpServer;
beforeEach(async () => {
  server = await new FakeMcpServer().listen();
});
afterEach(() => server.close());

async function call({ timeoutMs = 10_000, ...watch }: CallWatch & { timeoutMs?: number } = {}) {
  const { url, host } = server;
  const address = { url, origin: new URL(url).origin, headers: {}, timeoutMs };
  const tool = { name: 'echo', arguments: { text: 'Hello' }, inputSchema: { type: 'object' } };
  const answer = await callTool(createEgress({ allowedHosts: [host] }), address, tool, watch);
  if ('inputRequests' in answer) throw new Error('the server asks for input');
  return answer;
}

/** A server that handles calls itself. */
function onCall(handle: (res: ServerResponse, id: unknown, token: unknown) => void): void {
  server.misbehave = ({ method, params }, res, id) => {
    if (method !== 'tools/call') return false;
    handle(res, id, Object(params?._meta).progressToken);
    return true;
  };
}
const eventOf = (message: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const resultOf = (id: unknown, text: string) => ({
  id,
  result: { resultType: 'complete', content: [{ type: 'text', text }] },
});
const startStream = (res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/event-stream' });
const methods = () => server.received.map(({ method }) => method);

describe.each(['modern', 'legacy'] as const)('a server of the era %s', (era) => {
  beforeEach(() => {
    server.era = era;
  });

  test('a call that it answers twice has its first answer, and is made once', async () => {
    onCall((res, id) => {
      startStream(res).end(eventOf(resultOf(id, 'first')) + eventOf(resultOf(id, 'second')));
    });
    expect((await call()).content).toEqual([{ type: 'text', text: 'first' }]);
    expect(server.calls).toHaveLength(1);
  });

  test('an answer to a request that was never made answers nothing', async () => {
    onCall((res, id) => {
      startStream(res).end(eventOf(resultOf(7_000_000, 'foreign')) + eventOf(resultOf(id, 'own')));
    });
    expect((await call()).content).toEqual([{ type: 'text', text: 'own' }]);
  });

  test('progress keeps a call alive beyond its time-out, and a server that falls silent loses it', async () => {
    onCall((res, id, progressToken) => {
      startStream(res);
      let progress = 0;
      const timer = setInterval(() => {
        progress += 1;
        const params = { progressToken, progress };
        res.write(eventOf({ method: 'notifications/progress', params }));
        if (progress < 6) return;
        clearInterval(timer);
        res.end(eventOf(resultOf(id, 'done')));
      }, 500);
    });
    let shown = 0;
    const onProgress = () => {
      shown += 1;
    };
    expect((await call({ timeoutMs: 2000, onProgress })).content).toEqual([{ type: 'text', text: 'done' }]);
    expect(shown).toBe(6);
    onCall((res) => startStream(res).flushHeaders());
    await expect(call({ timeoutMs: 500 })).rejects.toMatchObject({ fault: 'no answer', mayHaveRun: true });
  });

  test('is told when the result of a call is no longer wanted, and the call may have run', async () => {
    const arrival = Promise.withResolvers<{ id: unknown; closed: Promise<void> }>();
    onCall((res, id) => {
      const closed = Promise.withResolvers<void>();
      res.once('close', closed.resolve);
      arrival.resolve({ id, closed: closed.promise });
    });
    const cancellation = new AbortController();
    const calling = expect(call({ cancelled: cancellation.signal })).rejects.toMatchObject({
      fault: 'no answer',
      mayHaveRun: true,
    });
    const { id, closed } = await arrival.promise;
    cancellation.abort('the result is no longer wanted');
    await calling;
    await closed;
    const notices = server.received.filter(({ method }) => method === 'notifications/cancelled');
    const params = { requestId: id, reason: 'the result is no longer wanted' };
    expect(notices.map((notice) => notice.params)).toMatchObject(era === 'legacy' ? [params] : []);
    expect(server.calls).toHaveLength(1);
  });
});

test('in the older era a stream that broke is resumed after its last event, and the call is not sent again', async () => {
  server.era = 'legacy';
  let callId: unknown;
  server.misbehave = ({ method, headers }, res, id) => {
    if (method === 'tools/call') {
      callId = id;
      startStream(res).write('id: 41\ndata:\n\n', () => res.destroy());
      return true;
    }
    if (method !== 'GET' || headers['last-event-id'] !== '41') return false;
    startStream(res).end(eventOf(resultOf(callId, 'the rest'), '42'));
    return true;
  };
  expect((await call()).content).toEqual([{ type: 'text', text: 'the rest' }]);
  expect(server.calls).toHaveLength(1);
  expect(methods().filter((method) => method === 'GET')).toHaveLength(1);
});

test('a stream that breaks again, or can not be resumed, is uncertain, and the call is not sent again', async () => {
  server.era = 'legacy';
  for (const status of [200, 404]) {
    server.misbehave = ({ method }, res) => {
      if (method !== 'tools/call' && method !== 'GET') return false;
      if (method === 'GET' && status !== 200) res.writeHead(status).end();
      else startStream(res).write('id: 41\ndata:\n\n', () => res.destroy());
      return true;
    };
    const before = server.calls.length;
    await expect(call({ timeoutMs: 4000 })).rejects.toMatchObject({ mayHaveRun: true });
    expect(server.calls).toHaveLength(before + 1);
  }
  await eventually('each stream was resumed', () => methods().includes('GET'));
});
