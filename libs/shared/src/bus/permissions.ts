import { requests } from '../events/catalogue.ts';
import { systemPermissions } from '../system/subjects.ts';
import { createNames } from './names.ts';

/** Which owners' events each service consumes or watches. A test compares this with the services' tables of consumers. */
export const consumedOwners: Readonly<Record<string, readonly string[]>> = {
  gateway: [],
  tenancy: ['tenancy', 'webhooks'],
  keys: ['tenancy', 'agents'],
  usage: ['tenancy', 'agents'],
  webhooks: ['tenancy', 'agents', 'webhooks'],
  agents: ['tenancy', 'webhooks', 'usage', 'agents'],
};

/** Who keeps files in the object store. */
const objectKeepers: readonly string[] = ['tenancy', 'webhooks', 'agents'];

export interface SubjectPermissions {
  publish: string[];
  subscribe: string[];
}

/**
 * What a service's NATS user may do (reliability, rule 6): publish its own events, read the streams it consumes, ask
 * the requests that name it as a caller, answer its own, and hear replies in its own inbox only, so that no other
 * service can listen to them.
 */
export function natsPermissions(namespace: string, service: string): SubjectPermissions {
  const names = createNames(namespace);
  const own = names.stream(service);
  const consumed = consumedOwners[service] ?? [];
  const system = systemPermissions(namespace, service);
  return {
    publish: [
      names.streamSubjects(service),
      ...requests.filter(({ callers }) => callers.some((caller) => caller === service)).map(names.request),
      `${namespace}.signal.${service}.>`,
      `_INBOX.${namespace}.*.>`,
      '$JS.API.INFO',
      `$JS.API.STREAM.*.${own}`,
      // Erasure reads its own events and takes them out.
      `$JS.API.STREAM.MSG.*.${own}`,
      `$JS.API.CONSUMER.INFO.${own}.>`,
      ...consumed.flatMap((owner) => consumerSubjects(names.stream(owner), service)),
      ...(objectKeepers.includes(service) ? objectSubjects(names.bucket) : []),
      ...system.publish,
    ],
    subscribe: [
      `${names.inboxPrefix(service)}.>`,
      `${namespace}.request.${service}.>`,
      `${namespace}.signal.>`,
      ...system.subscribe,
    ],
  };
}

/** The service's durable consumer is named for it; watchers use unnamed ones, so creating isn't bound to a name. */
function consumerSubjects(stream: string, service: string): string[] {
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.>`,
    `$JS.API.CONSUMER.DELETE.${stream}.>`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.>`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${service}`,
    `$JS.ACK.${stream}.>`,
    '$JS.FC.>',
  ];
}

/** Writing, reading and removing objects; the store reads by consumers that have no name. */
function objectSubjects(bucket: string): string[] {
  const stream = `OBJ_${bucket}`;
  return [
    `$O.${bucket}.>`,
    `$JS.API.STREAM.*.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}.>`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.>`,
    `$JS.API.CONSUMER.DELETE.${stream}.>`,
    '$JS.FC.>',
  ];
}
