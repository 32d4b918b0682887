import type { IncomingHttpHeaders } from 'node:http';
import type { MediaMissing } from '@botyard/contracts/events/attachments';
import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import type { PlatformName } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { Payload, replies } from '../store/schema.ts';
import type { ReadCallback, ReadDelivery } from './domain/read-delivery.ts';
import type { KnownRegistration, Registration } from './domain/registration.ts';

/** One call for a part that has begun. */
export interface Send<Content extends Payload = Payload> {
  tenantId: string;
  botId: string;
  platformChatId: string;
  threadId: string | null;
  partId: string;
  payload: Content;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  /** Sends before this one that may have arrived. */
  openSends: number;
  /** Whether the chat or thread is still held. Ask it before each call. */
  mayCall(): Promise<boolean>;
  /** The process ends. */
  signal: AbortSignal | undefined;
}

/** The result of a send, and its meaning for the part. */
export type SendResult = (
  | { outcome: 'sent'; platformMessageId?: string | undefined }
  /** `isOfPlace`: nothing else would be taken there either. */
  | { outcome: 'refused'; reason: string; isOfPlace?: boolean }
  /** Nothing was tried, or the platform asks to wait: it counts as no attempt. */
  | { outcome: 'waits'; waitMs: number; reason?: string }
  /** `isUnclear`: it may have arrived. `isUnreached`: no server is there to take anything. */
  | { outcome: 'failed'; reason: string; isUnclear: boolean; isUnreached?: boolean }
) & {
  /** The place's new id, as the platform's answer tells it. */
  movedTo?: string | undefined;
};

/** A reply that is not sent yet. */
export type PendingReply = Omit<typeof replies.$inferSelect, 'state' | 'createdAt'>;

/** A reply to send, as its platform shows it. */
export interface ShownReply<Content extends Payload = Payload> {
  reply: PendingReply;
  payloads: readonly Content[];
}

/** An integration's credentials, and the connection made of them once for many deliveries and sends. */
export interface Connector<Credentials = unknown, Connection extends object = object> {
  readonly name: PlatformName;
  readonly credentials: z.ZodType<Credentials>;
  /** `previous` are valid until the platform knows the current ones. */
  connect(current: Credentials, previous: Credentials | undefined): Connection;
}

/** The data for accepting a bot's deliveries and sending for it, besides the adapter's own data from the secrets. */
export interface Endpoint {
  tenantId: string;
  botId: string;
  integrationId: string;
  platform: PlatformName;
  isEnabled: boolean;
  /**
   * Groups in which the bot answers everything, with the only such topics (`general` for messages outside topics), or
   * all.
   */
  openGroups: ReadonlyMap<string, readonly string[] | null>;
}

/** Registers our webhook's address at the platform. No method throws. */
export interface Registrar<Credentials = unknown> {
  register(
    deps: Deps,
    url: string,
    credentials: Credentials,
    known: KnownRegistration,
  ): Promise<Registration>;
  /** Unless the account delivers elsewhere by now. Returns when to try again, if at all. */
  remove(
    deps: Deps,
    url: string,
    credentials: Credentials,
    attempts: number,
  ): Promise<{ isGone: boolean; retryInMs: number | null }>;
  isSameAccount(one: Credentials, other: Credentials): boolean;
}

export interface FileToFetch {
  botId: string;
  fileRef: string;
  maxBytes: number;
  signal: AbortSignal;
}

/** Reads a file. Its bytes and its name are a stranger's. */
export type FileReader<Result> = (content: AsyncIterable<Buffer>) => Promise<Result>;

/** `refused` is final; what `failed` is tried again, after `waitMs` where the platform says so. */
export type FetchedFile<Result> =
  | { outcome: 'fetched'; result: Result }
  | { outcome: 'refused'; reason: Extract<MediaMissing, 'too_large' | 'unavailable'> }
  | { outcome: 'failed'; reason: string; waitMs?: number };

/** An update that was asked for, and the offset that confirms it. */
export interface PolledUpdate {
  bytes: Uint8Array;
  next: number;
}

/** Why a platform gave out no updates. */
export interface PollFailure {
  reason: string;
  /** The platform asks to wait for so long. */
  retryInMs?: number;
  /** It delivers to a webhook, or another program asks it. */
  isConflict?: boolean;
  /** The credentials are no good. */
  isRefused?: boolean;
}

/** Deliveries that come as one body each, to `/webhooks/<name>/:botId`. */
export interface Inbound<Connection extends object = object> {
  readonly connector: Connector<unknown, Connection>;
  readonly maxBytes: number;
  /** Checks for the platform's secret, before the body is read. */
  isFromPlatform(
    headers: IncomingHttpHeaders,
    connection: Connection,
    options: { isProduction: boolean },
  ): boolean;
  /** In neutral words; `null`: it is no JSON. @throws HttpError 503 when it takes too long. */
  read(
    deps: Pick<Deps, 'texts'>,
    endpoint: Endpoint & Connection,
    bytes: Uint8Array,
  ): Promise<ReadDelivery | null>;
  /**
   * For polling platforms: waits some seconds for deliveries from `offset` on, and confirms those before it, which the
   * platform then forgets. Never throws.
   */
  poll?(
    deps: Pick<Deps, 'messenger'>,
    connection: Connection,
    asked: { offset: number | undefined; signal: AbortSignal },
  ): Promise<PollFailure | { updates: readonly PolledUpdate[] }>;
  /** Notes a pressed button, to be acknowledged. @throws if the database doesn't answer in time. */
  notePress?(
    deps: Pick<Deps, 'admissionDatabase' | 'wakeCallbacks'>,
    endpoint: Endpoint,
    press: ReadCallback,
  ): Promise<void>;
}

/**
 * Pace of sending (REQ-CHAT-5), as a generic cell rate algorithm: a message moves the theoretical time on by
 * `intervalMs`, and may go while that time is at most `burst - 1` intervals ahead.
 */
export interface Pace {
  intervalMs: number;
  burst: number;
}

/** How often a platform takes messages of a bot, in all and in each chat. */
export interface Paces {
  bot: Pace;
  chatBurst: number;
  chatIntervalMs(platformChatId: string): number;
}

/**
 * A platform, as the service sees it. All its other peculiarities stay in its folder. An adapter keeps no queue:
 * `delivery` queues, paces, orders and retries messages, for all platforms alike.
 */
export interface Platform<
  Content extends Payload = Payload,
  Credentials = unknown,
  Connection extends object = object,
> {
  readonly name: PlatformName;
  readonly credentials: z.ZodType<Credentials>;
  /** For platforms whose deliveries are one body each; others have routes of their own. */
  readonly inbound?: Inbound<Connection>;
  /** For platforms that are told our webhook's address. */
  readonly registrar?: Registrar<Credentials>;
  /** In how many places a process sends at once: a platform that hangs takes none from the others. */
  readonly slots: number;
  /** How often it takes messages; `undefined`: it says so itself. */
  readonly paces: Paces | undefined;
  /** Texts as the platform shows them, one for each message; none when there is nothing to see. */
  format(
    deps: Pick<Deps, 'texts'>,
    text: { tenantId: string; markdown: string; signal: AbortSignal },
  ): Promise<readonly Content[]>;
  /** Never throws. `undefined` when the place was lost before a call. */
  send(deps: Deps, send: Send<Content>): Promise<SendResult | undefined>;
  /**
   * The wait before a retry, by the number of failures; `undefined`: no retry. A reply is worth sending for `worthMs`.
   */
  retryInMs(attempts: number, worthMs: number): number | undefined;
  /** Recipient of each reply, by its id; a missing reply goes nowhere any more. */
  listRecipients(tx: TenantTx, replies: readonly PendingReply[]): Promise<ReadonlyMap<string, string>>;
  /** Shows that the bot is typing; without it nothing is shown. */
  showTyping?(deps: Pick<Deps, 'endpoints' | 'messenger'>, botId: string, place: TypingPlace): Promise<void>;
  /** For platforms that serve files. @throws what `read` throws, and HttpError 503. */
  fetchFile?<Result>(
    deps: Pick<Deps, 'endpoints' | 'messenger' | 'messengerFiles'>,
    file: FileToFetch,
    read: FileReader<Result>,
  ): Promise<FetchedFile<Result>>;
  /** Whether a place can have become another one, which has its conversation then. Without it none does. */
  isRenaming?(fromChatId: string, toChatId: string): boolean;
  /** Whether a place may have become this one. Without it every one may, where there is `isRenaming`. */
  mayBeRenamed?(platformChatId: string): boolean;
  /** For platforms with records of sent replies. */
  readonly records?: Records<Content>;
}

export type TypingPlace = Pick<ChatPlace, 'platformChatId' | 'threadId'>;

/** A platform's records of sent replies, in the transactions that queue and settle them. */
export interface Records<Content extends Payload = Payload> {
  /** Locks the record of a place, always before a lock on the place itself. */
  lock(tx: TenantTx, place: { tenantId: string; platformChatId: string }): Promise<void>;
  /** Queues replies in this order, and returns why the others were given up. */
  queue(
    tx: TenantTx,
    replies: readonly ShownReply<Content>[],
  ): Promise<{ reply: PendingReply; reason: string }[]>;
  /** Updates the record after a part's outcome. The record is locked. All its statements are sent at once. */
  settle(tx: TenantTx, part: { tenantId: string; partId: string }): Promise<void>;
}

export type Platforms = Readonly<Record<PlatformName, Platform>>;
