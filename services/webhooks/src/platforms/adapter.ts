import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Database, TenantTx } from '@botyard/shared/db/database';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Counter } from 'prom-client';
import type { z } from 'zod';
import type { Admission, Received } from '../admission/domain/admission.ts';
import type { KnownDelivery } from '../admission/domain/draft-delivery.ts';
import type { Endpoints } from '../endpoints/domain/endpoints.ts';
import type { Deps as FilesDeps } from '../files/deps.ts';
import type { ChatMails, WrittenByMail } from './domain/chat-mails.ts';
import type { Endpoint, Platform } from './platform.ts';
import type { TextTaskName, TextTasks } from './tasks.ts';

/** Parts of the service that an adapter may use. */
export interface AdapterContext extends FilesDeps {
  environment: 'development' | 'test' | 'staging' | 'production';
  isProduction: boolean;
  keyring: Keyring;
  /** A separate pool, so that no other work can delay a delivery (REQ-REL-9). */
  admissionDatabase: Database;
  admission: Admission;
  endpoints: Endpoints;
  deliveriesCounted: Counter<'verdict' | 'reason'>;
  texts: TextThread;
  /** Admits deliveries that an adapter received in a route of its own, after their commit. @throws HttpError 503. */
  receive(endpoint: Endpoint, deliveries: readonly KnownDelivery[]): Promise<Received[]>;
  /** Continues private chats by mail; `undefined` if no platform can. */
  chatMails(): ChatMails | undefined;
  /**
   * Shows in a chat what its person wrote by mail. Resolves with the person's name; `undefined` if the chat no longer
   * exists.
   */
  showWritten(tx: TenantTx, written: WrittenByMail): Promise<{ name: string } | undefined>;
  /** The origin that platforms are told. */
  webhookBaseUrl: string;
  /** Prefix of links for people. */
  publicBaseUrl: string;
  /** Wakes the sender of a platform, because replies may be waiting. */
  wakeSender: (platform: PlatformName) => void;
  /** Wakes the registrar, because registrations may be due. */
  wakeRegistrar: () => void;
}

/**
 * Reads and formats texts of strangers: those that take a few milliseconds at once, others in a thread with a deadline,
 * fairly among owners.
 */
export interface TextThread {
  /**
   * Reads a delivery within the time that its platform waits. Resolves with `null` if it is nested too deeply.
   * @throws HttpError 503 when it takes too long.
   */
  read<Name extends TextTaskName>(
    name: Name,
    input: Parameters<TextTasks[Name]>[0],
    delivery: { owner: string; sizeBytes: number },
  ): Promise<Awaited<ReturnType<TextTasks[Name]>> | null>;
  /** Formats an answer, or falls back to `plain`. @throws TaskError when too many texts wait. */
  format<Name extends TextTaskName, Result>(
    name: Name,
    text: { owner: string; markdown: string; signal?: AbortSignal | undefined },
    plain: (markdown: string) => Result,
  ): Promise<Result>;
}

/** A platform's adapter, made with its own settings and clients. */
export interface AdapterModule<Settings extends z.ZodRawShape = z.ZodRawShape> {
  /** Settings of the service that only this adapter needs, by their names in the environment. */
  readonly settings: Settings;
  /** Refuses settings that contradict others; the message follows the setting's name. */
  readonly refuse?: (
    settings: SettingsOf<Settings> & Pick<AdapterContext, 'environment'>,
  ) => { setting: keyof Settings & string; message: string } | undefined;
  create(context: AdapterContext, settings: SettingsOf<Settings>): Platform;
}

type SettingsOf<Settings extends z.ZodRawShape> = keyof Settings extends never
  ? object
  : z.output<z.ZodObject<Settings>>;
