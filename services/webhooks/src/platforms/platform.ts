import type { IncomingHttpHeaders } from 'node:http';
import type { OutboundFile } from '@botyard/contracts/events/attachments';
import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Bus } from '@botyard/shared/bus/bus';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Served } from '@botyard/shared/service/foundation';
import type { Worker } from '@botyard/shared/work/worker';
import type { Router } from 'express';
import type { z } from 'zod';
import type { Payload, replies } from '../store/schema.ts';
import type { AccountTrial, CheckedAccount, Installer, Renewer } from './domain/account.ts';
import type { ChatMails, WrittenByMail } from './domain/chat-mails.ts';
import type { FetchFile } from './domain/fetch-file.ts';
import type { ForgetPeople } from './domain/forget-people.ts';
import type { Paces } from './domain/paces.ts';
import type { PeopleRecords } from './domain/people-records.ts';
import type { PolledUpdate, PollFailure } from './domain/polled-updates.ts';
import type { ReadCallback, ReadDelivery } from './domain/read-delivery.ts';
import type { KnownRegistration, Registration } from './domain/registration.ts';
import type { Templates } from './domain/templates.ts';

/** The content of a part that is a file. Texts have none with this name. */
export type FileContent = { file: OutboundFile };

/** Files that staff sends. */
export interface FilesOut {
  /** The largest size of a file of this type, in bytes; `undefined` if the platform takes none. */
  maxBytesOf(mediaType: string): number | undefined;
  /** The same as `send` of a platform, for a file. */
  send(send: Send<FileContent>): Promise<SendResult | undefined>;
}

/** One call for a part whose send has begun. */
export interface Send<Content extends Payload = Payload> {
  tenantId: string;
  botId: string;
  platformChatId: string;
  threadId: string | null;
  /** The place of its reply; `null` for a part that belongs to no reply. */
  place: ChatPlace | null;
  partId: string;
  payload: Content;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  /** The number of earlier sends that may have arrived. */
  openSends: number;
  /** Whether the chat or thread is still held. Has to be checked before each call. */
  mayCall(): Promise<boolean>;
  /** Aborted when the process stops. */
  signal: AbortSignal | undefined;
}

/** The result of a send, and its consequence for the part. */
export type SendResult = (
  | { outcome: 'sent'; platformMessageId?: string | undefined }
  /** `isOfPlace`: every other message there would be refused, too. `isOfReply`: the other parts of the reply would. */
  | { outcome: 'refused'; reason: string; isOfPlace?: boolean; isOfReply?: boolean }
  /** Nothing was tried: this doesn't count as an attempt. `isAsked`: the platform asks to wait. */
  | { outcome: 'waits'; waitMs: number; reason?: string; isAsked?: boolean }
  /** `isUnclear`: it may have arrived. `isUnreached`: no server accepted the connection. */
  | { outcome: 'failed'; reason: string; isUnclear: boolean; isUnreached?: boolean }
) & {
  /** The place's new id, from the platform's answer. */
  movedTo?: string | undefined;
};

export interface TextToFormat {
  tenantId: string;
  /** Plain words for a platform that shows no formatting. */
  markdown: string;
  /** Texts of buttons under the last message; none for platforms without buttons, whose Markdown lists them. */
  choices: readonly string[];
  signal: AbortSignal;
}

/** A reply that hasn't been sent. */
export type PendingReply = Omit<typeof replies.$inferSelect, 'state' | 'createdAt'>;

/** A reply to send, in its platform's format. */
export interface ShownReply<Content extends Payload = Payload> {
  reply: PendingReply;
  payloads: readonly Content[];
}

/** An integration's credentials, and the connection that is created from them once for many deliveries and sends. */
export interface Connector<Credentials = unknown, Connection extends object = object> {
  readonly name: PlatformName;
  readonly credentials: z.ZodType<Credentials>;
  /** `previous` are valid until the platform knows the current ones. */
  connect(current: Credentials, previous: Credentials | undefined): Connection;
}

/** The data for accepting a bot's deliveries and sending for it, beside the adapter's own from the secrets. */
export interface Endpoint {
  tenantId: string;
  botId: string;
  integrationId: string;
  platform: PlatformName;
  isEnabled: boolean;
  /** The tenant sets the webhook up, and no verified delivery has shown yet that it did. */
  isAwaitingFirstDelivery: boolean;
  /**
   * Groups in which the bot answers everything, with the topics that this is limited to (`general` for messages outside
   * topics), or `null` for all.
   */
  openGroups: ReadonlyMap<string, readonly string[] | null>;
}

/** Registers the webhook address at the platform. No method throws. */
export interface Registrar<Credentials = unknown> {
  register(url: string, credentials: Credentials, known: KnownRegistration): Promise<Registration>;
  /** Removes the webhook, unless the account delivers elsewhere. Resolves with the time until a retry, if any. */
  remove(
    url: string,
    credentials: Credentials,
    attempts: number,
  ): Promise<{ isGone: boolean; retryInMs: number | null }>;
  isSameAccount(one: Credentials, other: Credentials): boolean;
  /** Deletes what the adapter stores of an integration, which was removed from the platform. */
  forget?(tx: TenantTx, integration: { tenantId: string; integrationId: string }): Promise<void>;
}

/**
 * A request to one of the platform's addresses, within the platform's bounds. `url` is path and query as received,
 * behind the public base address.
 */
export interface InboundRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: IncomingHttpHeaders;
  /** Empty where the headers alone prove the sender. */
  rawBody: Uint8Array;
}

export type Verdict =
  /** Answered with 401, and counted by the reason: one of few texts of the adapter. */
  | { outcome: 'refused'; reason: string }
  /** A challenge, with its finished answer. */
  | { outcome: 'answered'; status: number; contentType: string; body: string }
  /** `accountIds`: the accounts that the body is for, at the address of one app for many tenants. */
  | { outcome: 'verified'; accountIds?: readonly string[] };

/**
 * Verifies and reads what the platform sends to `/webhooks/<name>/:botId`, and to `/webhooks/<name>` for one app of
 * many tenants. The host bounds the body, calls `verify`, finds the integrations, calls `read` for each and admits
 * everything; the answer is 200 only when all of it is committed.
 */
export interface Inbound<Connection extends object = object> {
  readonly connector: Connector<unknown, Connection>;
  readonly maxBytes: number;
  /** `headers`: `verify` runs before the body is read. `body`: after it. */
  readonly verifiedBy: 'headers' | 'body';
  /** Methods of the addresses; GET where the platform's challenge needs it. By default only POST. */
  readonly methods?: readonly InboundRequest['method'][];
  /** The installation has the secrets of one app for many tenants. Without it `/webhooks/<name>` is 404. */
  readonly hasAppAddress?: boolean;
  /** With an integration's connection at its own address; without one at the app's, whose secrets are settings. */
  verify(
    request: InboundRequest,
    connection: (Endpoint & Connection) | undefined,
  ): Verdict | Promise<Verdict>;
  /**
   * Reads all deliveries in the body that are for this account, in their order; `null` if it isn't a body of the
   * platform. @throws HttpError 503 when it takes too long.
   */
  read(
    bytes: Uint8Array,
    endpoint: Endpoint & Connection,
    contentType: string | undefined,
  ): Promise<readonly ReadDelivery[] | null>;
  /**
   * For polling platforms: waits some seconds for deliveries from `offset` on, and confirms earlier ones, which the
   * platform then deletes. Never throws.
   */
  poll?(
    connection: Connection,
    asked: { offset: number | undefined; signal: AbortSignal },
  ): Promise<PollFailure | { updates: readonly PolledUpdate[] }>;
  /** Records a pressed button, to be acknowledged. @throws if the database doesn't answer in time. */
  notePress?(endpoint: Endpoint, press: ReadCallback): Promise<void>;
  /** The answer to a body that was admitted; `{}` as JSON if omitted. It must not repeat anything of the body. */
  answer?(bytes: Uint8Array): { contentType: string; body: string };
}

/**
 * A platform, as the rest of the service sees it. All its peculiarities stay in its folder. An adapter has no queue:
 * `delivery` queues, paces, orders and retries messages, for all platforms alike.
 */
export interface Platform<
  Content extends Payload = Payload,
  Credentials = unknown,
  Connection extends object = object,
> {
  readonly name: PlatformName;
  readonly credentials: z.ZodType<Credentials>;
  /** For platforms whose deliveries fit into memory; others read them in a route of their own. */
  readonly inbound?: Inbound<Connection>;
  /**
   * Adds routes of its own beneath `/webhooks/<name>`, behind the gateway's check and the limiter, before `/:botId`.
   * They verify their senders themselves.
   */
  mount?(router: Router): void;
  /** Adds routes at the platform's `publicPaths`, which the gateway passes on. Each is reached with its whole path. */
  mountPublic?(router: Router): void;
  /**
   * Hears what other services and other instances of this one announce, and answers requests. Called once the bus is
   * connected.
   */
  follow?(bus: Bus): void;
  /** Background work of its own. */
  readonly workers?: readonly Worker[];
  /** For platforms at which the webhook address is registered. */
  readonly registrar?: Registrar<Credentials>;
  /** The number of places that a process sends to concurrently. A hanging platform takes no slots from the others. */
  readonly slots: number;
  /** How often it accepts messages; `undefined` if the platform limits that with its answers. */
  readonly paces: Paces | undefined;
  /** Formats a text for the platform, one item per message; none if nothing is visible. */
  format(text: TextToFormat): Promise<readonly Content[]>;
  /** Never throws. Resolves with `undefined` when the place was lost before a call. */
  send(send: Send<Content>): Promise<SendResult | undefined>;
  /**
   * The time in ms before a retry, by the number of failures; `undefined` for no retry. A reply is worth sending for
   * `worthMs`.
   */
  retryInMs(attempts: number, worthMs: number): number | undefined;
  /** The recipient of each reply, by the reply's id. A reply without one can no longer be delivered. */
  listRecipients(tx: TenantTx, replies: readonly PendingReply[]): Promise<ReadonlyMap<string, string>>;
  /** For the platform that continues private chats of others by mail. */
  readonly chatMails?: ChatMails;
  /** Shows in a private chat what its person wrote by mail. */
  showWritten?(tx: TenantTx, written: WrittenByMail): Promise<{ name: string } | undefined>;
  /** Shows that a person has joined a conversation or left it, for platforms where that is not plain to see. */
  showHandling?(tx: TenantTx, change: HandlingChange): Promise<void>;
  /**
   * Tries credentials, and finds their account and what else the integration's secrets need. Never throws, and ends
   * with the signal. Platforms without it name the credential that identifies the account.
   */
  checkAccount?(trial: AccountTrial): Promise<CheckedAccount>;
  /** For platforms that have an app of the installation's own, if its settings are there. */
  readonly installer?: Installer | undefined;
  /** For platforms that issue secrets which expire. */
  readonly renewer?: Renewer<Credentials>;
  /** Shows that the bot is typing, if the platform supports that. */
  showTyping?(botId: string, place: TypingPlace): Promise<void>;
  /**
   * Shows that a person of the tenant is typing. For platforms that end it by themselves after a few seconds, and on
   * which showing it costs no call.
   */
  showStaffTyping?(botId: string, place: TypingPlace): Promise<void>;
  /** For platforms that take files from us. */
  readonly files?: FilesOut;
  /** For platforms with templates. */
  readonly templates?: Templates<Content>;
  /** For platforms that serve files. @throws the errors of `read`, and HttpError 503. */
  readonly fetchFile?: FetchFile;
  /**
   * Whether a place may have been renamed to another one, which then has its conversation. Without it no place is
   * renamed.
   */
  isRenaming?(fromChatId: string, toChatId: string): boolean;
  /** Whether a place may have had another name before. Without it every place may, if there is `isRenaming`. */
  mayBeRenamed?(platformChatId: string): boolean;
  forgetPeople?: ForgetPeople;
  /** For platforms with records of sent replies. */
  readonly records?: Records<Content>;
  /** Contracts that it serves. */
  readonly routes?: readonly Served<unknown>[];
  /** Tries the installation's own account at the platform, if there is one, and notes a problem. */
  checkPeer?(): Promise<void>;
  /** For platforms with records of people, besides the queue, files and events. */
  readonly people?: PeopleRecords;
}

interface HandlingChange {
  tenantId: string;
  conversationId: string;
  /** Identifies the change, and is greater than that of an earlier change. */
  changeId: string;
  handling: 'bot' | 'person';
}

export type TypingPlace = Pick<ChatPlace, 'platformChatId' | 'threadId'>;
/** A platform's records of sent replies, in the transactions that queue and settle them. */
interface Records<Content extends Payload = Payload> {
  /** Locks the record of a place, always before a lock on the place itself. */
  lock(tx: TenantTx, place: { tenantId: string; platformChatId: string }): Promise<void>;
  /** Queues replies in this order. Returns the reasons of those that were given up. */
  queue(
    tx: TenantTx,
    replies: readonly ShownReply<Content>[],
  ): Promise<{ reply: PendingReply; reason: string }[]>;
  /** Updates the record after a part's outcome. The caller has locked it. All statements are sent together. */
  settle(tx: TenantTx, part: { tenantId: string; partId: string }): Promise<void>;
}

export type Platforms = Readonly<Record<PlatformName, Platform>>;
