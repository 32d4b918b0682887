import { z } from 'zod';
import { ownRightsSubject } from '../system/subjects.ts';
import type { Bus } from './bus.ts';
import { natsPermissions } from './permissions.ts';

const Side = z.object({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() });
const UserInfo = z.object({
  data: z.object({ permissions: z.object({ publish: Side.optional() }).optional() }),
});

/** Files have a watch of their own, and may lie elsewhere. */
const isOfFiles = (subject: string, bucket: string) => subject.includes(bucket);

/** Subjects that the service has to publish to, and that the server doesn't let it publish to now. @throws when it doesn't tell. */
export async function missingRights(bus: Bus): Promise<string[]> {
  const { connection } = bus.live();
  const answer = await connection.request(ownRightsSubject, '', { timeout: 2000 });
  const { permissions } = UserInfo.parse(answer.json()).data;
  const { allow, deny = [] } = permissions?.publish ?? {};
  const { publish, denyPublish = [] } = natsPermissions(bus.names.namespace, bus.service);
  const denied = deny.filter((subject) => !denyPublish.includes(subject));
  return publish.filter(
    (wanted) =>
      !isOfFiles(wanted, bus.names.bucket) &&
      (!(allow ?? ['>']).some((allowed) => covers(allowed, wanted)) ||
        denied.some((refused) => covers(refused, wanted) || covers(wanted, refused))),
  );
}

/** Whether every subject of the second pattern is one of the first. */
export function covers(pattern: string, subject: string): boolean {
  const tokens = subject.split('.');
  const parts = pattern.split('.');
  for (const [index, part] of parts.entries()) {
    const token = tokens[index];
    if (token === undefined) return false;
    if (part === '>') return true;
    if (part === '*' ? token === '>' : part !== token) return false;
  }
  return parts.length === tokens.length;
}
