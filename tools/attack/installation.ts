import type { FakeTools } from '@botyard/testing/fake/fake-tools';
import { createDemoTenant, type DemoTenant } from '../../test/e2e/demo-tenant.ts';
import type { System } from '../../test/e2e/system.ts';
import type { Cleanup } from '../rig/cleanup.ts';
import { startInstallation as startSystem } from '../rig/installation.ts';
import { ask, type Person, signIn } from '../rig/people.ts';

interface Tenant {
  person: Person;
  demo: DemoTenant;
}

export interface AttackingTenant {
  person: Person;
  demo: Pick<DemoTenant, 'tenantId' | 'agentId'>;
}

/** One tenant and one client address that an attack comes from, or a hundred of each. */
export interface Origins {
  tenants: readonly AttackingTenant[];
  addresses: readonly string[];
}

export interface Installation {
  system: System;
  victim: Tenant;
  attacker: Tenant;
  /** The provider of external tools. */
  tools: FakeTools;
  /** Mailboxes of bots have addresses of this domain. */
  mailDomain: string;
  /** Signs in a person, who knows no tenant yet. */
  signIn(name: string): Promise<Person>;
}

const hundred = 100;

/** All of Botyard as `npm start` runs it, with two tenants that have an agent, a bot and an admin each. */
export async function startInstallation(cleanup: Cleanup): Promise<Installation> {
  const installation = await startSystem(cleanup, { DATABASE_ACQUIRE_TIMEOUT_MS: '1900' });
  const { system, tools, mailDomain } = installation;
  const tenantOf = async (name: string) => {
    const person = await signIn(installation, { name });
    const demo = await createDemoTenant({
      messenger: system.messenger,
      gatewayUrl: system.gatewayUrl,
      api: (method, path, { body } = {}) => ask(system, person.bearer, `${method} ${path}`, body),
    });
    return { person, demo };
  };
  const victim = await tenantOf('victim');
  const attacker = await tenantOf('attacker');
  return { system, victim, attacker, tools, mailDomain, signIn: (name) => signIn(installation, { name }) };
}

/** Linux answers at every address of 127.0.0.0/8. The other tenant's requests come from 127.0.0.1. */
const addressOf = (number: number): string => `127.0.1.${number + 1}`;

export const oneOrigin = ({ attacker }: Installation): Origins => ({
  tenants: [attacker],
  addresses: [addressOf(0)],
});

export async function createHundredOrigins(installation: Installation): Promise<Origins> {
  const { system } = installation;
  const tenants: AttackingTenant[] = [];
  for (let number = 0; number < hundred; number += 1) {
    const person = await installation.signIn(`one-of-a-hundred-${number}`);
    const call = <Body>(what: string, body: object) => ask<Body>(system, person.bearer, what, body);
    const { tenantId } = await call<{ tenantId: string }>('POST /api/bots/tenants', {
      name: `No. ${number}`,
    });
    await call('POST /api/tenant/select', { tenantId });
    const agent = { name: 'Support', instructions: 'Be kind.', provider: 'private-llm', model: 'fake' };
    const { id: agentId } = await call<{ id: string }>('POST /api/definitions/agents', agent);
    tenants.push({ person, demo: { tenantId, agentId } });
  }
  return { tenants, addresses: tenants.map((_, number) => addressOf(number)) };
}
