import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../../rig/people.ts';
import { type Attack, type Case, equals, inTurn, isAtMost } from '../attack.ts';
import type { AttackingTenant, Installation } from '../installation.ts';

const people = 250;
const streamsOfEach = 20;
const triers = 10;
const trialsOfEach = 2;

/** A tenant's people open as many event streams as each may have. */
export const streams: Case = {
  about: `${people} people of one tenant with ${streamsOfEach} event streams each`,
  canSpread: true,
  begin: async (installation, { tenants }) => {
    const open = ({ person, demo }: AttackingTenant) => ({
      path: '/api/events',
      headers: { authorization: person.bearer, 'x-tenant-id': demo.tenantId },
    });
    const openers = await members(installation, tenants, people);
    return await openAll(installation, openers, { ofEach: streamsOfEach, mostOfTenant: 1000, open });
  },
};

/** A tenant's admins run as many trials as each may, with a model that doesn't answer. */
export const trials: Case = {
  about: `${triers} people of one tenant with ${trialsOfEach} trials each, of a model that hangs`,
  canSpread: true,
  begin: async (installation, { tenants }) => {
    const open = ({ person, demo }: AttackingTenant) => ({
      path: `/api/agents/${demo.agentId}/try`,
      method: 'POST',
      headers: {
        authorization: person.bearer,
        'x-tenant-id': demo.tenantId,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ messages: [{ role: 'user', text: 'hang' }] }),
    });
    installation.system.model.replyWith(async ({ messages }) => {
      if (JSON.stringify(messages).includes('hang')) await pause(60_000, undefined, { ref: false });
      return 'ok';
    });
    const openers = await members(installation, tenants, triers);
    return await openAll(installation, openers, { ofEach: trialsOfEach, mostOfTenant: 5, open });
  },
};

interface Opening {
  ofEach: number;
  mostOfTenant: number;
  open(opener: AttackingTenant): RequestInit & { path: string };
}

async function openAll(
  { system, victim }: Installation,
  openers: readonly AttackingTenant[],
  { ofEach, mostOfTenant, open }: Opening,
): Promise<Attack> {
  const ending = new AbortController();
  // The client would close the stream of a response that is garbage.
  const responses: Response[] = [];
  const request = async (opener: AttackingTenant) => {
    const { path, ...init } = open(opener);
    const response = await fetch(`${system.gatewayUrl}${path}`, { ...init, signal: ending.signal });
    responses.push(response);
    return response;
  };
  // One after the other for each person, so that the requests in flight aren't what limits them.
  await Promise.all(
    openers.map(async (opener) => {
      for (let count = 0; count < ofEach; count += 1) await request(opener);
    }),
  );
  const opened = responses.splice(0);
  const own = await request(victim);
  const count = (isCounted: (response: Response) => boolean) => opened.filter(isCounted).length;
  const isOpen = ({ status }: Response) => status === 200;
  const isRefused = ({ status, headers }: Response) => status === 503 && headers.has('retry-after');
  return {
    stop: async () => ending.abort(),
    checks: () => [
      isAtMost('open ones of the attacking tenant', mostOfTenant, count(isOpen)),
      equals('refusals other than 503 with Retry-After', 0, opened.length - count(isOpen) - count(isRefused)),
      equals("status of the other tenant's own", 200, own.status),
    ],
  };
}

/** People who are admins of the attacking tenants, in turn. */
async function members(
  { system, signIn }: Installation,
  tenants: readonly AttackingTenant[],
  count: number,
): Promise<AttackingTenant[]> {
  const openers: AttackingTenant[] = [];
  for (let number = 0; number < count; number += 1) {
    const { person: admin, demo } = inTurn(tenants, number);
    const person = await signIn(`attacker-${tenants.length}-${count}-${number}`);
    const path = `/api/bots/tenants/${demo.tenantId}/members`;
    await ask(system, admin.bearer, `POST ${path}`, { userId: person.userId, role: 'admin' });
    openers.push({ person, demo });
  }
  return openers;
}
