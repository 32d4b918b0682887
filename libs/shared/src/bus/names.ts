import type { EventScope, EventType, RequestType, SignalType } from '@botyard/contracts/events/definition';

/** Only these characters are safe in a token of a subject; others would change which subscriptions match. */
const token = (value: string | undefined): string => (value && /^[\w-]{1,200}$/.test(value) ? value : '_');

/** Subjects and streams. A namespace separates installations, and test files, on one server. */
export interface Names {
  readonly namespace: string;
  stream(owner: string): string;
  streamSubjects(owner: string): string;
  /** `<namespace>.event.<name>.<tenant>.<conversation>`, so that erasure can purge by subject. */
  event(event: EventType, scope: EventScope): string;
  everyEvent(event: EventType): string;
  /** All events of an owner about one conversation, or about a tenant without a conversation. */
  everyEventOf(owner: string, scope: EventScope): string;
  /** All events of an owner about a tenant. */
  everyTenantEventOf(owner: string, tenantId: string): string;
  /** Name of the event in a subject made by `event`. */
  eventNameOf(subject: string): string;
  /** Tenant in a subject made by `event`; `_` if the event belongs to none. */
  tenantOf(subject: string): string;
  request(request: RequestType): string;
  signal(signal: SignalType): string;
  canary(service: string): string;
  /** The subject on which a service asks an owner for its consumer of the owner's stream. */
  consumerRequest(owner: string, service: string): string;
  /** Each stored event is republished here, with its position in the stream as a header. */
  republishedSubjects(owner: string): string;
  inboxPrefix(service: string): string;
  /** The bucket of JetStream's object store that holds files. */
  readonly bucket: string;
}

export function createNames(namespace: string): Names {
  return {
    namespace,
    stream: (owner) => `${namespace}_${owner}`,
    streamSubjects: (owner) => `${namespace}.event.${owner}.>`,
    event: (event, scope) =>
      `${namespace}.event.${event.name}.${token(scope.tenantId)}.${token(scope.conversationId)}`,
    everyEventOf: (owner, scope) =>
      `${namespace}.event.${owner}.*.*.*.${token(scope.tenantId)}.${token(scope.conversationId)}`,
    everyTenantEventOf: (owner, tenantId) => `${namespace}.event.${owner}.*.*.*.${token(tenantId)}.*`,
    everyEvent: (event) => `${namespace}.event.${event.name}.*.*`,
    eventNameOf: (subject) => subject.split('.').slice(2, -2).join('.'),
    tenantOf: (subject) => subject.split('.').at(-2) ?? '_',
    request: (request) => `${namespace}.request.${request.name}`,
    signal: (signal) => `${namespace}.signal.${signal.name}`,
    consumerRequest: (owner, service) => `${namespace}.consumer.${owner}.${service}`,
    republishedSubjects: (owner) => `${namespace}.stored.${owner}.>`,
    canary: (service) => `${namespace}.event.${service}.canary`,
    inboxPrefix: (service) => `_INBOX.${namespace}.${service}`,
    bucket: `${namespace}_objects`,
  };
}
