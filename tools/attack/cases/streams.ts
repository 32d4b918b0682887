import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../../fuzz/installation/people.ts';
import { type Attack, type Case, equals, isAtMost } from '../attack.ts';
import type { Installation } from '../installation.ts';

const people = 250;
const streamsOfEach = 20;
const triers = 10;
const trialsOfEach = 2;

/** A tenant's people open as many event streams as each may have. */
export const streams: Case = {
  about: `${people} people of one tenant with ${streamsOfEach} event streams each`,
  begin: async (installation) => {
    const bearers = await members(installation, people);
    const open = ({ bearer, tenantId }: Opener) => ({
      path: '/api/events',
      headers: { authorization: bearer, 'x-tenant-id': tenantId },
    });
    return await openAll(installation, { bearers, ofEach: streamsOfEach, mostOfTenant: 1000, open });
  },
};

/** A tenant's admins run as many trials as each may, with a model that doesn't answer. */
export const trials: Case = {
  about: `${triers} people of one tenant with ${trialsOfEach} trials each, of a model that hangs`,
  begin: async (installation) => {
    const { attacker, victim } = installation;
    const bearers = await members(installation, triers);
    const open = ({ bearer, tenantId }: Opener) => ({
      path: `/api/agents/${tenantId === victim.demo.tenantId ? victim.demo.agentId : attacker.demo.agentId}/try`,
      method: 'POST',
      headers: { authorization: bearer, 'x-tenant-id': tenantId, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', text: 'hang' }] }),
    });
    installation.system.model.replyWith(async ({ messages }) => {
      if (JSON.stringify(messages).includes('hang')) await pause(60_000, undefined, { ref: false });
      return 'ok';
    });
    return await openAll(installation, { bearers, ofEach: trialsOfEach, mostOfTenant: 5, open });
  },
};

interface Opener {
  bearer: string;
  tenantId: string;
}

interface Opening {
  bearers: readonly string[];
  ofEach: number;
  mostOfTenant: number;
  open(opener: Opener): RequestInit & { path: string };
}

async function openAll(
  { system, attacker, victim }: Installation,
  { bearers, ofEach, mostOfTenant, open }: Opening,
): Promise<Attack> {
  const ending = new AbortController();
  const statusOf = async (opener: Opener) => {
    const { path, ...init } = open(opener);
    const response = await fetch(`${system.gatewayUrl}${path}`, { ...init, signal: ending.signal });
    const retryAfter = response.headers.get('retry-after');
    return response.status === 503 && retryAfter === null ? 0 : response.status;
  };
  const statuses: number[] = [];
  // One after the other for each person, so that the requests in flight aren't what limits them.
  await Promise.all(
    bearers.map(async (bearer) => {
      for (let count = 0; count < ofEach; count += 1)
        statuses.push(await statusOf({ bearer, tenantId: attacker.demo.tenantId }));
    }),
  );
  const own = await statusOf({ bearer: victim.person.bearer, tenantId: victim.demo.tenantId });
  const count = (status: number) => statuses.filter((one) => one === status).length;
  return {
    stop: async () => ending.abort(),
    checks: () => [
      isAtMost('open ones of the attacking tenant', mostOfTenant, count(200)),
      equals('refusals other than 503 with Retry-After', 0, statuses.length - count(200) - count(503)),
      equals("status of the other tenant's own", 200, own),
    ],
  };
}

async function members({ system, attacker, signIn }: Installation, count: number): Promise<string[]> {
  const bearers: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { bearer, userId } = await signIn(`attacker-${count}-${number}`);
    const path = `/api/bots/tenants/${attacker.demo.tenantId}/members`;
    await ask(system, attacker.person.bearer, `POST ${path}`, { userId, role: 'admin' });
    bearers.push(bearer);
  }
  return bearers;
}
