import type { z } from 'zod';
import type { ServiceName } from '../http/contract.ts';

type Version = `v${number}`;
type EventName = `${ServiceName}.${string}.${string}.${Version}`;

/** A past fact, published by exactly one service through its outbox. */
export interface EventType<Schema extends z.ZodType = z.ZodType> {
  readonly name: EventName;
  readonly owner: ServiceName;
  readonly summary: string;
  /**
   * Within a version only optional fields may be added; `libs/contracts/samples` holds samples that must always parse.
   */
  readonly schema: Schema;
}

export type DataOf<E extends EventType> = z.output<E['schema']>;

/** Data of tenant-scoped events names the tenant, and the conversation where there is one: both go into the subject. */
export interface EventScope {
  tenantId?: string | undefined;
  conversationId?: string | undefined;
}

/** Data of an event without a tenant, such as one of the identity provider; `kind` names its subject. */
interface PlatformEvent {
  kind: string;
  tenantId?: never;
}

export function defineEvent<Schema extends z.ZodType<EventScope | PlatformEvent>>(
  name: EventName,
  definition: { summary: string; schema: Schema },
): EventType<Schema> {
  return { name, owner: ownerOf(name), ...definition };
}

/**
 * A request that one service answers for others over the bus. It can be lost with the connection, and is sent twice if
 * a cluster lost it. Don't use it for anything that may not be done twice.
 */
export interface RequestType<Request extends z.ZodType = z.ZodType, Response extends z.ZodType = z.ZodType> {
  readonly name: EventName;
  readonly owner: ServiceName;
  readonly callers: readonly ServiceName[];
  readonly summary: string;
  readonly request: Request;
  readonly response: Response;
  readonly timeoutMs: number;
}

export function defineRequest<Request extends z.ZodType, Response extends z.ZodType>(
  name: EventName,
  definition: Omit<RequestType<Request, Response>, 'name' | 'owner'>,
): RequestType<Request, Response> {
  return { name, owner: ownerOf(name), ...definition };
}

/** A hint that may be lost without harm, such as "typing". The only use of a plain publish (REQ-REL-7). */
export interface SignalType<Schema extends z.ZodType = z.ZodType> {
  readonly name: EventName;
  readonly owner: ServiceName;
  readonly listeners: readonly ServiceName[];
  readonly summary: string;
  readonly schema: Schema;
}

export function defineSignal<Schema extends z.ZodType>(
  name: EventName,
  definition: Omit<SignalType<Schema>, 'name' | 'owner'>,
): SignalType<Schema> {
  return { name, owner: ownerOf(name), ...definition };
}

function ownerOf(name: EventName): ServiceName {
  return name.split('.', 1)[0] as ServiceName;
}
