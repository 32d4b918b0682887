import { useActing, useSeesTenant } from './acting.tsx';
import { useList } from './use-answer.ts';

/** The tenant's members and their display names. A responder knows nobody but themselves. */
export function useMembers() {
  const { tenantId, userId } = useActing();
  const seesTenant = useSeesTenant();
  const members = useList('/api/bots/tenants/{tenantId}/members', {
    path: { tenantId: tenantId ?? '' },
    query: { limit: 500 },
    enabled: seesTenant,
  });
  const self = seesTenant || userId === null ? [] : [{ userId, name: 'You' }];
  const people = (members.data ?? []).map((member) => ({
    userId: member.userId,
    name: member.name ?? member.email ?? member.idpUserId,
  }));
  const all = [...people, ...self];
  const isLoaded = members.data !== undefined || !seesTenant;
  const names = new Map(all.map((one) => [one.userId, one.name]));
  /** Returns `otherwise` for somebody who isn't a member. */
  const nameOf = (userId: string, otherwise: string): string =>
    names.get(userId) ?? (isLoaded ? otherwise : '…');
  return { people: all, isLoaded, nameOf };
}
