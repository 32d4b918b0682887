import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import type { ServiceHarness, TestService } from './service-harness.ts';
import { user } from './test-call.ts';

/** A tenant, and one caller of every kind of access to it (REQ-ACCESS-1). */
export interface People {
  tenantId: string;
  admin: Identity;
  member: Identity;
  /** Authenticated, without a relationship to the tenant. */
  stranger: Identity;
  operator: Identity;
}

/** Creates the tenant through the API of the tenancy service, which has to be running. */
export async function createTenantWithPeople(harness: ServiceHarness, tenancy: TestService): Promise<People> {
  const person = (kind: string, isOperator = false) => user(`user_${kind}_${randomUUID()}`, { isOperator });
  const people = {
    admin: person('admin'),
    member: person('member'),
    stranger: person('stranger'),
    operator: person('operator', true),
  };
  const created = await tenancy.call('POST', '/api/bots/tenants', {
    as: people.admin,
    body: { name: 'Acme' },
  });
  if (created.status !== 201) throw new Error(`no tenant was created: ${created.status} ${created.text}`);
  const { tenantId } = created.body as { tenantId: string };
  const { body } = await tenancy.call('GET', '/api/current-user', { as: people.member });
  await harness.asOwner(
    `insert into tenancy.memberships (tenant_id, user_id, role, visited_at) values ($1, $2, 'member', now())`,
    [tenantId, body.userId],
  );
  return { tenantId, ...people };
}
