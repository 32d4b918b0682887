import { useNavigate } from '@tanstack/react-router';
import { useActing, useSeesTenant } from '../api/acting.tsx';
import { useList } from '../api/use-answer.ts';

/** Selects the tenant of this tab. The tenant is in the address, so each tab has its own. */
export function TenantSwitch() {
  const { tenantId } = useActing();
  const seesTenant = useSeesTenant();
  const tenants = useList('/api/current-user/tenants', { query: { limit: 500 } });
  const navigate = useNavigate();
  // A responder isn't told the tenant's name.
  if (!seesTenant || tenantId === null) return null;
  const ownTenants = tenants.data ?? [];
  // An operator can open tenants of which they are not a member.
  const name = tenants.data ? tenantId : '…';
  const all = ownTenants.some((one) => one.tenantId === tenantId)
    ? ownTenants
    : [{ tenantId, name }, ...ownTenants];
  return (
    <label>
      <span className="sr-only">Tenant</span>
      <select
        className="min-h-9 w-full rounded-md border border-line bg-panel px-2 py-1 text-sm font-medium text-ink"
        value={tenantId}
        onChange={({ target }) =>
          void navigate({ to: '/', search: (now) => ({ as: now.as, tenant: target.value }) })
        }
      >
        {all.map((one) => (
          <option key={one.tenantId} value={one.tenantId}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}
