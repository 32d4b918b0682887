import { startFakeIdp } from '@botyard/testing/fake-idp';
import { createDemoTenant, type DemoTenant } from '../../test/e2e/demo-tenant.ts';
import { System } from '../../test/e2e/system.ts';
import type { Cleanup } from '../bench/cleanup.ts';
import { ask, type Person, signIn } from '../fuzz/installation/people.ts';

export interface Installation {
  system: System;
  victim: { person: Person; demo: DemoTenant };
  attacker: { person: Person; demo: DemoTenant };
  /** Signs in a person, who knows no tenant yet. */
  signIn(name: string): Promise<Person>;
}

/** All of Botyard as `npm start` runs it, with two tenants that have an agent, a bot and an admin each. */
export async function startInstallation(cleanup: Cleanup): Promise<Installation> {
  const idp = await startFakeIdp();
  await cleanup.add(() => idp.close());
  const system = await System.start({
    IDP_ISSUER: idp.issuer,
    IDP_API_URL: idp.url,
    IDP_SECRET_KEY: idp.secretKey,
    DATABASE_ACQUIRE_TIMEOUT_MS: '1900',
  });
  await cleanup.add(async () => void (await system.stop()));
  await system.healthy();
  const known = { idp, system, platformOrgId: 'org_platform' };
  const tenantOf = async (name: string) => {
    const person = await signIn(known, { name });
    const demo = await createDemoTenant({
      messenger: system.messenger,
      gatewayUrl: system.gatewayUrl,
      api: (method, path, { body } = {}) => ask(system, person.bearer, `${method} ${path}`, body),
    });
    return { person, demo };
  };
  const victim = await tenantOf('victim');
  const attacker = await tenantOf('attacker');
  return { system, victim, attacker, signIn: (name) => signIn(known, { name }) };
}
