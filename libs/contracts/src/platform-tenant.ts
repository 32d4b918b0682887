/**
 * Owner of the platform's own bots (REQ-ACCESS-4). For the services it is an ordinary tenant, so events, order,
 * isolation and quotas need no special case. In the API it isn't one: it has no people, is never listed, and only
 * operators reach its bots, through `/api/bots/superadmin` or by choosing it as their active tenant.
 */
export const platformTenantId = '00000000-0000-7000-8000-000000000000';
