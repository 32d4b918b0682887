import { requests, signals } from '@botyard/contracts/events/catalogue';
import { systemPermissions } from '../system/subjects.ts';
import { createNames } from './names.ts';

/**
 * The owners whose events each service consumes or watches. A test compares this with the services' tables of
 * consumers.
 */
export const consumedOwners: Readonly<Record<string, readonly string[]>> = {
  gateway: [],
  tenancy: ['tenancy', 'webhooks', 'agents'],
  keys: ['tenancy', 'agents'],
  usage: ['tenancy', 'agents'],
  webhooks: ['tenancy', 'agents', 'webhooks'],
  agents: ['tenancy', 'keys', 'webhooks', 'usage', 'agents'],
};

/** Services that keep files in the object store. */
export const objectKeepers: readonly string[] = ['tenancy', 'webhooks', 'agents'];

export interface SubjectPermissions {
  publish: readonly string[];
  subscribe: readonly string[];
  /** Subjects within those lists that are denied. */
  denyPublish?: readonly string[];
  denySubscribe?: readonly string[];
  /** May answer each request once. */
  isResponder?: boolean;
}

/** Longer than any request waits for its answer. */
const answerWithin = '1m';

/** A user's rights in the format of nats-server's configuration. */
export function serverPermissions(rights: SubjectPermissions) {
  const { publish, subscribe, denyPublish = [], denySubscribe = [], isResponder = false } = rights;
  return {
    publish: { allow: publish, ...(denyPublish.length > 0 ? { deny: denyPublish } : {}) },
    subscribe: { allow: subscribe, ...(denySubscribe.length > 0 ? { deny: denySubscribe } : {}) },
    ...(isResponder ? { allow_responses: { max: 1, expires: answerWithin } } : {}),
  };
}

/**
 * The permissions of a service's NATS user (REQ-REL-6): to publish its own events, read the streams it consumes, send
 * the requests that name it as a caller, and receive replies in its own inbox only. It may not publish to any inbox:
 * the server lets it answer each request once.
 *
 * Permissions alone don't contain a login. The server ignores them for the reply subject of a request, and for the
 * subjects to which a stream or a consumer delivers. The accounts contain it (`accounts.ts`). Consumers of other
 * services' streams may still be created as far as permissions go: processes of the previous release report each
 * missing permission as a fault, and no account passes those requests on.
 */
export function natsPermissions(namespace: string, service: string): SubjectPermissions {
  const names = createNames(namespace);
  const own = names.stream(service);
  const consumed = consumedOwners[service] ?? [];
  const followed = consumed.filter((owner) => owner !== service);
  const system = systemPermissions(namespace, service);
  return {
    publish: [
      names.streamSubjects(service),
      ...requests.filter(({ callers }) => callers.some((caller) => caller === service)).map(names.request),
      ...signals.filter(({ owner }) => owner === service).map(names.signal),
      '$JS.API.INFO',
      ...ownStreamSubjects(own),
      ...followed.map((owner) => names.consumerRequest(owner, service)),
      ...consumed.flatMap((owner) => consumerSubjects(names.stream(owner), service)),
      ...(objectKeepers.includes(service) ? objectSubjects(names.bucket) : []),
      ...system.publish,
    ],
    denyPublish: consumed
      .filter((owner) => owner !== service)
      .flatMap((owner) =>
        Object.keys(consumedOwners)
          .filter((other) => other !== service)
          .filter((other) => consumedOwners[other]?.includes(owner))
          .flatMap((other) => durableSubjects(names.stream(owner), other)),
      ),
    subscribe: [
      `${names.inboxPrefix(service)}.>`,
      `${namespace}.request.${service}.>`,
      names.consumerRequest(service, '*'),
      ...consumed.flatMap((owner) => [names.streamSubjects(owner), names.republishedSubjects(owner)]),
      ...signals
        .filter(({ listeners }) => listeners.some((listener) => listener === service))
        .map(names.signal),
      ...system.subscribe,
    ],
    denySubscribe: system.denySubscribe,
    isResponder: true,
  };
}

/** A service creates its own stream and the consumers on it. Erasure reads its events and removes them. */
export const ownStreamSubjects = (stream: string): string[] => [
  `$JS.API.STREAM.*.${stream}`,
  `$JS.API.STREAM.MSG.*.${stream}`,
  `$JS.API.CONSUMER.*.${stream}.>`,
  `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.>`,
];

/** Subjects that change, empty or acknowledge a service's durable consumer. */
const durableSubjects = (stream: string, service: string): string[] => [
  `$JS.API.CONSUMER.CREATE.${stream}.${service}`,
  `$JS.API.CONSUMER.CREATE.${stream}.${service}.>`,
  `$JS.API.CONSUMER.DELETE.${stream}.${service}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${service}`,
  `$JS.ACK.${stream}.${service}.>`,
];

/**
 * The service's durable consumer is named after it. Watchers use unnamed consumers, so creating isn't bound to a
 * name.
 */
function consumerSubjects(stream: string, service: string): string[] {
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.>`,
    `$JS.API.CONSUMER.DELETE.${stream}.>`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.>`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${service}`,
    `$JS.ACK.${stream}.>`,
    `$JS.FC.${stream}.>`,
  ];
}

/** Rights to write, read and remove objects; the store reads with unnamed consumers. */
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
    `$JS.FC.${stream}.>`,
  ];
}
