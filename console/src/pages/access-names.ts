import { useActing } from '../api/acting.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { useMembers } from '../api/use-members.ts';

type Option = readonly [value: string, label: string];

const groupIn = /^group:([^#]+)/;

/** The people, bots and groups of the tenant as relationships refer to them, with their names. */
export function useAccessNames(edges: readonly { subject: string; object: string }[]) {
  const { tenantId } = useActing();
  const tenant = useAnswer('/api/bots/tenants/{tenantId}', {
    path: { tenantId: tenantId ?? '' },
    enabled: tenantId !== null,
  });
  const { people, isLoaded } = useMembers();
  const tenantName = tenant.data?.name ?? 'The tenant';
  const persons = people.map(({ userId, name }): Option => [`user:${userId}`, name]);
  const bots = (tenant.data?.bots ?? []).map(({ botId, name }): Option => [`bot:${botId}`, name]);
  const mentioned = edges.flatMap(({ subject, object }) => [subject, object]);
  const groups = [...new Set(mentioned.flatMap((node) => groupIn.exec(node)?.[1] ?? []))].sort();
  const everybody: Option[] = [
    [`tenant:${tenantId}#member`, `All members of ${tenantName}`],
    [`tenant:${tenantId}#admin`, `All admins of ${tenantName}`],
  ];
  const subjects = [
    ...persons,
    ...groups.map((name): Option => [`group:${name}#member`, `Members of the group ${name}`]),
    ...everybody,
  ];
  const objects: Option[] = [
    [`tenant:${tenantId}`, tenantName],
    ...bots.map(([value, name]): Option => [value, `Bot ${name}`]),
    ...groups.map((name): Option => [`group:${name}`, `Group ${name}`]),
  ];
  const names = new Map([...subjects, ...objects]);
  return {
    persons,
    subjects,
    objects,
    /** The name, or the identifier of something that has none here. */
    nameOf: (node: string): string => names.get(node) ?? (isLoaded && tenant.data ? node : '…'),
  };
}
