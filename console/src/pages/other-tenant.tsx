import { useAnswer } from '../api/use-answer.ts';
import { TextLink } from '../parts/text-link.tsx';

/** The name of a tenant, which leads into it. For operators. */
export function OtherTenant({ tenantId }: { tenantId: string }) {
  const tenant = useAnswer('/api/bots/tenants/{tenantId}', { path: { tenantId } });
  return <TenantLink tenantId={tenantId} name={tenant.data?.name ?? 'a deleted tenant'} />;
}

export const TenantLink = ({ tenantId, name }: { tenantId: string; name: string }) => (
  <TextLink to="/" search={({ as }) => ({ as, tenant: tenantId })} title={tenantId}>
    {name}
  </TextLink>
);
