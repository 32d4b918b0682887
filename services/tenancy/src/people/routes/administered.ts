import { administeredTenantIds, type Caller } from '@botyard/shared/auth/caller';
import { forbidden } from '@botyard/shared/http/errors';

/** The tenants that the caller administers, or only the wanted one. @throws HttpError 403 (REQ-ACCESS-3). */
export function administeredBy(caller: Caller, wanted: string | undefined): string[] {
  const tenantIds = administeredTenantIds(caller);
  if (wanted === undefined) return tenantIds;
  if (!tenantIds.includes(wanted)) throw forbidden();
  return [wanted];
}
