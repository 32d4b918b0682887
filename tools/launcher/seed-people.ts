import { z } from 'zod';
import { createApi } from './seed-api.ts';

const Person = z.object({ userId: z.string(), role: z.enum(['admin', 'member', 'stranger', 'neighbour']) });
const Session = z.object({ token: z.string() });
const Member = z.object({ idpUserId: z.string() });
const Tenant = z.object({ tenantId: z.string() });

/**
 * Gives the people of the sandbox's identity provider their roles: an admin and a member of the demo tenant, and a
 * person with a separate tenant. Keeps existing roles. Returns true if there are such people.
 */
export async function seedPeople(
  gatewayUrl: string,
  { sandboxUrl, tenantId }: { sandboxUrl: string; tenantId: string },
): Promise<boolean> {
  const sandbox = createApi(sandboxUrl);
  const people = await sandbox.list('/api/people', Person);
  const admin = createApi(gatewayUrl);
  const path = `/api/bots/tenants/${tenantId}/members`;
  const members = await admin.list(path, Member);
  for (const { userId, role } of people) {
    if (role === 'stranger') continue;
    const { token } = await sandbox.post('/api/session-token', { userId }, Session);
    const person = createApi(gatewayUrl, token);
    if (role === 'neighbour') {
      const own = await person.list('/api/bots/tenants', Tenant);
      if (own.length === 0) await person.post('/api/bots/tenants', { name: 'Neighbour' }, Tenant);
      continue;
    }
    const isMember = members.some(({ idpUserId }) => idpUserId === userId);
    if (!isMember) await admin.post(path, { idpUserId: userId, role }, z.unknown());
    // Selecting the demo tenant makes it the person's active tenant.
    await person.post('/api/tenant/select', { tenantId }, z.unknown());
  }
  return people.length > 0;
}
