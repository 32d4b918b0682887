import { z } from 'zod';
import { ownRightsSubject } from '../system/subjects.ts';
import type { Bus } from './bus.ts';
import { natsPermissions } from './permissions.ts';
import { parseMessage } from './reading/read-json.ts';

const Side = z.object({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() });
const UserInfo = z.object({
  data: z.object({ permissions: z.object({ publish: Side.optional() }).optional() }),
});

/** Files are watched separately, and may be stored elsewhere. */
const isOfFiles = (subject: string, bucket: string) => subject.includes(bucket);

type PublishRights = z.infer<typeof Side>;

/**
 * Reads the rights of the service's login and returns the subjects that the service needs to publish to and may not.
 * @throws when the server doesn't report the rights.
 */
export function createRightsCheck(bus: Bus): () => Promise<string[]> {
  let compared: { rights: string; missing: string[] } | undefined;
  return async () => {
    const { connection } = bus.live();
    const answer = await connection.request(ownRightsSubject, '', { timeout: 2000 });
    const publish = UserInfo.parse(parseMessage(answer)).data.permissions?.publish ?? {};
    // The server lists them in a different order each time.
    const rights = JSON.stringify([publish.allow?.toSorted(), publish.deny?.toSorted()]);
    if (compared?.rights !== rights) compared = { rights, missing: missingRights(bus, publish) };
    return compared.missing;
  };
}

function missingRights(bus: Bus, { allow = ['>'], deny = [] }: PublishRights): string[] {
  const { publish } = natsPermissions(bus.names.namespace, bus.service);
  const denied = deny.filter((subject) => !isOfAnother(subject, bus.service));
  return publish.filter(
    (wanted) =>
      !isOfFiles(wanted, bus.names.bucket) &&
      (!allow.some((allowed) => covers(allowed, wanted)) ||
        denied.some((refused) => covers(refused, wanted) || covers(wanted, refused))),
  );
}

const ofConsumer = /^\$JS\.(?:ACK|API\.CONSUMER\.[A-Z.]+)\.\w+\.([a-z]\w*)/;

/**
 * Whether a denied subject belongs to another service's consumer. A later release may have services that aren't known
 * here.
 */
export function isOfAnother(refused: string, service: string): boolean {
  const [, consumer] = ofConsumer.exec(refused) ?? [];
  return consumer !== undefined && !`${consumer}_`.startsWith(`${service}_`);
}

/** Whether the first pattern matches every subject that the second one matches. */
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
