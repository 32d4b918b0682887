import { administeredTenantIds, type Caller } from '@botyard/shared/auth/caller';
import { forbidden } from '@botyard/shared/http/errors';
import { validate as isUuid } from 'uuid';
import type { Reach } from '../store/people.ts';

/** The tenants that the caller administers, or only the wanted one. @throws HttpError 403 (REQ-ACCESS-3). */
export function administeredBy(caller: Caller, wanted: string | undefined): string[] {
  const tenantIds = administeredTenantIds(caller);
  if (wanted === undefined) return tenantIds;
  if (!tenantIds.includes(wanted)) throw forbidden();
  return [wanted];
}

/** The same for lists in which an operator sees all tenants (REQ-ACCESS-5). */
export function reachedBy(caller: Caller, wanted: string | undefined): Reach {
  if (!caller.isOperator) return administeredBy(caller, wanted);
  if (wanted === undefined) return 'everybody';
  if (!isUuid(wanted)) throw forbidden();
  return [wanted];
}
