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
  capabilities: Capabilities;
  limits: Limits;
  /** The scope of a wait that the platform asks for: one chat, the bot's chats, or all chats of the account. */
  waitScope: 'chat' | 'bot' | 'account';
  /**
   * Its identifiers of chats stand alone in stored keys and in the names of conversations. It is set for the platforms
   * that were there before keys named the platform, and for no other.
   */
  namesChatsAlone?: true;
}

/** Abilities of a platform, through its adapter. The others are refused with a reason, or left out. */
export interface Capabilities {
  /** Several people write in one chat. */
  groups: boolean;
  /** A part of a chat can be a conversation of its own. */
  threads: boolean;
  /** A group has parts with rules of their own. */
  topics: boolean;
  /** It reports that a person edited a message. */
  edits: boolean;
  /** It reports that a person deleted a message. */
  deletions: boolean;
  /** It verifies an address with a challenge before it delivers there. */
  challenges: boolean;
  /** Programs answer the bot as well: notes of absence, lists, and reports of messages that came back. */
  programs: boolean;
  /** It reports what became of a message that we sent. */
  statuses: boolean;
  /** It reports what people have read. */
  reads: boolean;
  /** It reports that a person rated an answer, with a thumb. */
  ratings: boolean;
  /** It reports that the account was removed: our app was uninstalled, or the number is gone. */
  removals: boolean;
  /** Our messages can have buttons. A pressed one is a message with its text. Without them, words list the choices. */
  buttons: boolean;
  filesIn: boolean;
  filesOut: boolean;
  typing: boolean;
  /** People see that the bot has read their message. */
  readMarks: boolean;
  /** An answer is shown while it is written. */
  previews: boolean;
  /** It refuses messages to a person or a group that blocked the bot. */
  blocks: boolean;
  /** The identifier of a chat or a person can change. */
  renames: boolean;
  /** It asks to wait (429). */
  rates: boolean;
  /** It shows formatted text. */
  formatting: boolean;
  /** It approves texts in advance, and takes only these a while after a person's last message. */
  templates: boolean;
}

/** Limits of one message that we send. */
export interface Limits {
  /** UTF-16 units of visible text. Longer answers are several messages. */
  textLength: number;
  /** The largest file, in either direction. */
  fileBytes: number;
  filesPerMessage: number;
}

/** Texts by their names. */
export type Fields = z.ZodObject<Readonly<Record<string, z.ZodType<string | null | undefined>>>>;

/** The value of a setting. An object is shown in full. */
export type SettingValue = string | string[] | Readonly<Record<string, unknown>>;

/** Texts, lists of texts, and objects by their names. */
export type SettingFields = z.ZodObject<Readonly<Record<string, z.ZodType<SettingValue | null | undefined>>>>;

/** A credential or a setting in the console's form. Its kind and whether it is required follow from its schema. */
export interface FormField {
  label: string;
  help?: string;
  /** Labels of its choices, by their values. */
  choices?: Readonly<Record<string, string>>;
}

/**
 * A step for people who connect a bot. In its texts `{origin}` stands for our address for browsers, `{botId}` for the
 * bot, and `{deliverTo}` for the address for deliveries.
 */
export interface SetUpStep {
  text: string;
  /** The place of the step. */
  link?: { label: string; address: string };
  /** A text to take along. */
  copy?: { label: string; text: string };
}

/** A request to the platform's addresses, as the documents of the API describe it. */
export interface WebhookOperation {
  method: 'get' | 'post';
  /** Such as `/webhooks/slack/{botId}`. */
  path: `/webhooks/${string}`;
  operationId: string;
  summary: string;
  description: string;
  query?: z.ZodObject;
  /** The headers that prove the sender. */
  headers?: z.ZodObject;
  /** The body, by its content type. */
  body?: Readonly<Record<string, z.ZodType>>;
  /** The answer with status 200; `{}` as JSON if omitted. */
  answer?: { description: string; contentType: string; schema: z.ZodType };
  /** The other statuses of an answer. */
  errors: readonly number[];
}

/** A platform, as the API and the events know it. The bodies and answers of integrations and of chat rules follow. */
export interface PlatformDefinition extends PlatformCapabilities {
  /** The platform's name for people, such as `Slack`. */
  title: string;
  /** The name of its icon in the set Lucide. */
  icon: string;
  /** A sentence for people who choose a platform. */
  about: string;
  /** Steps before the form is filled in, and after it was saved. */
  setUp: { before: readonly SetUpStep[]; after: readonly SetUpStep[] };
  /** Our page that shows the look and the words in the settings without sending anything. */
  previewPath?: string;
  /** The noun for the platform in descriptions. */
  noun: string;
  /** Identifier of a person in a private chat. */
  personId: z.ZodType<string>;
  /** Identifier of a chat. */
  chatId: z.ZodType<string>;
  /** Identifier of whoever sends messages, where chats do so as well. Otherwise only people send. */
  senderId?: z.ZodType<string>;
  /** The fields that an integration signs in with. Platforms that share a name take the same values there. */
  credentials: Fields;
  /** The credential that is the account's identifier. Without it the adapter finds the account (`checkAccount`). */
  accountCredential?: string;
  /** The secret that has the account's identifier in integrations of version 0.1.0. */
  accountSecret?: string;
  /** The identifier of an integration's account, in words. One account has one integration. */
  accountId: string;
  /** An integration can be created by installing our app at the platform (OAuth), in place of credentials. */
  installs?: boolean;
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
  /** The console's form: every credential and setting, by its name. */
  form: Readonly<Record<string, FormField>>;
  /** Names of the request headers that its webhooks need, in lower case. The gateway passes them on. */
  headers: readonly string[];
  /** Paths outside `/webhooks` that the adapter serves with GET, such as `/chat/:botId`. The gateway proxies them. */
  publicPaths: readonly string[];
  operations: readonly WebhookOperation[];
  /** How people write the bot's commands. Absent: the platform has none. */
  commands?: {
    /** The sign before a command. */
    prefix: string;
    /** Whole messages that are a command, in lower case, with the command's name. */
    words?: Readonly<Record<string, string>>;
  };
}
