import { useActing } from './acting.tsx';
import { useList } from './use-answer.ts';

/** The tenant's members and their display names. */
export function useMembers() {
  const { tenantId } = useActing();
  const members = useList('/api/bots/tenants/{tenantId}/members', {
    path: { tenantId: tenantId ?? '' },
    query: { limit: 500 },
    enabled: tenantId !== null,
  });
  const people = (members.data ?? []).map(({ userId, name, email, idpUserId }) => ({
    userId,
    name: name ?? email ?? idpUserId,
  }));
  return { people, names: new Map(people.map(({ userId, name }) => [userId, name])) };
}
