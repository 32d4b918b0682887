import { findAllowance, setAllowance } from '@botyard/contracts/events/usage';
import type { Allowance, AllowanceChange } from '@botyard/contracts/http/allowance';
import { ask } from '@botyard/shared/bus/requests';
import { notFound } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';

type Needed = Pick<Deps, 'bus' | 'callers' | 'log'>;

/** A tenant's allowance on the platform's keys, from the usage service. @throws HttpError 404, 503. */
export async function findTenantAllowance({ bus, callers }: Needed, tenantId: string): Promise<Allowance> {
  await requireTenant(callers, tenantId);
  return await ask(bus, findAllowance, { tenantId });
}

/** Goes to the audit log. @throws HttpError 404, 503. */
export async function setTenantAllowance(
  { bus, callers, log }: Needed,
  tenantId: string,
  change: AllowanceChange,
): Promise<Allowance> {
  await requireTenant(callers, tenantId);
  const allowance = await ask(bus, setAllowance, { ...change, tenantId });
  log.info({ audit: 'allowance of a tenant', subject: tenantId, ...change }, 'audit');
  return allowance;
}

async function requireTenant(callers: Deps['callers'], tenantId: string): Promise<void> {
  if (!(await callers.tenantExists(tenantId))) throw notFound('tenant');
}
