import type { z } from 'zod';

/** Capabilities of a platform. Code outside the platform's own adapter asks for these, never for a platform's name. */
export interface PlatformCapabilities {
  /** A short explanation for the documents. */
  meaning: string;
  /** The name that people use for a bot's credential; no two integrations share one. */
  credential: string;
  /** We register our webhook at the platform and maintain it there. Otherwise the tenant sets it up. */
  registersWebhook: boolean;
  /** The chat can show that the bot is typing, or that an answer takes longer. */
  isLive: boolean;
  /**
   * One thought often arrives as several messages, so they are answered together. Otherwise each message is complete.
   */
  joinsMessages: boolean;
  /** The platform proves the sender. Otherwise each message says whether its sender is proven. */
  provesSenders: boolean;
  /** A private chat has the identifier and name of its person. */
  privateChatIsPerson: boolean;
  /**
   * People are identified by an address, which is kept in lower case; so is the bot, by the account of its integration.
   */
  usesAddresses: boolean;
}

/** Texts by their names. */
export type Fields = z.ZodObject<Readonly<Record<string, z.ZodType<string | null | undefined>>>>;

/** Texts, and lists of texts, by their names. */
export type SettingFields = z.ZodObject<
  Readonly<Record<string, z.ZodType<string | string[] | null | undefined>>>
>;

/** A platform, as the API and the events know it. The bodies and answers of integrations and of chat rules follow. */
export interface PlatformDefinition extends PlatformCapabilities {
  /** The noun for the platform in descriptions. */
  noun: string;
  /** Identifier of a person in a private chat. */
  personId: z.ZodType<string>;
  /** Identifier of a chat, or of another sender of messages. */
  chatId: z.ZodType<string>;
  /** The fields that an integration signs in with. No two platforms have one of the same name. */
  credentials: Fields;
  /** The name of the credential that serves one integration only. */
  account: string;
  /** A list is shown in full. */
  settings: SettingFields;
  /** The settings, as they are shown. */
  shownSettings: SettingFields;
  /**
   * Content of an integration's `sealedSecrets`, as JSON: credentials, settings, and what a trial of the account found.
   */
  secrets: SettingFields;
  /** Names of the credentials and settings that are shown in full. All others show at most their last 4 characters. */
  shownWhole: readonly string[];
  /**
   * The setting that the platform sends with each delivery. An omitted value is generated; `null` means none, which
   * production refuses.
   */
  deliverySecret?: string;
}
