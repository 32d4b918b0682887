import { Agent, request } from 'node:http';
import { inTurn } from '../attack.ts';
import type { FloodRequest, FloodWork, Statuses } from './flood.ts';
import { runInThread } from './thread.ts';

await runInThread(async ({ connections, requests }: FloodWork, signal): Promise<Statuses> => {
  const statuses = new Map<number, number>();
  const agent = new Agent({ keepAlive: true });
  const repeat = async (connection: number) => {
    for (let number = connection; !signal.aborted; number += connections) {
      const status = await send(inTurn(requests, number), agent, signal);
      if (!signal.aborted) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => repeat(connection)));
  agent.destroy();
  return statuses;
});

function send(
  { url, method, headers, body, localAddress }: FloodRequest,
  agent: Agent,
  signal: AbortSignal,
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const sent = request(url, { method, headers, agent, signal, localAddress }, (response) => {
    response.resume();
    response.once('close', () => resolve(response.statusCode ?? 0));
  });
  sent.once('error', () => resolve(0));
  sent.end(body);
  return promise;
}
