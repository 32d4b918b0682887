/**
 * Owner of the platform's own bots (REQ-ACCESS-4). To the services it is a tenant like any other, so events,
 * order, isolation and quotas need no special case; in the API it is none: it has no people, is never listed, and only
 * operators reach what it owns, through `/api/bots/superadmin` or by choosing it as their active tenant.
 */
export const platformTenantId = '00000000-0000-7000-8000-000000000000';
