import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import type { AppRecord } from '@botyard/contracts/http/app-records';
import type { AppSpec } from '@botyard/contracts/http/app-spec';
import type { AppVersion } from '@botyard/contracts/http/app-spec-routes';
import { platformNames } from '@botyard/contracts/platform-names';
import { createdAt, moment } from '@botyard/shared/db/columns';
import { index, integer, jsonb, text, unique, uuid } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/** An app with the draft of its spec. */
export const apps = tenantTable('apps', ['appId'], {
  appId: uuid('app_id').notNull(),
  name: text().notNull(),
  description: text().notNull(),
  templateId: text('template_id'),
  /** JSON as received, which may not be a valid spec. Stored as text, which accepts any JSON. */
  draft: text().notNull(),
  draftRevision: integer('draft_revision').notNull().default(1),
  draftUpdatedAt: moment('draft_updated_at').notNull().defaultNow(),
  /** The running version. */
  currentVersion: integer('current_version'),
  lastVersion: integer('last_version').notNull().default(0),
  createdAt: createdAt(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** Published versions of an app. Rows never change. */
export const appVersions = tenantTable('app_versions', ['appId', 'version'], {
  appId: uuid('app_id').notNull(),
  version: integer().notNull(),
  spec: jsonb().$type<AppSpec>().notNull(),
  /** The definitions that the spec refers to. */
  agentIds: uuid('agent_ids').array().notNull(),
  capabilityIds: uuid('capability_ids').array().notNull(),
  origin: text().$type<AppVersion['origin']>().notNull(),
  rolledBackTo: integer('rolled_back_to'),
  publishedAt: moment('published_at').notNull().defaultNow(),
});

/** The places where an app serves. Null parts of a place match everywhere. */
export const appBindings = tenantTable(
  'app_bindings',
  ['bindingId'],
  {
    bindingId: uuid('binding_id').notNull(),
    appId: uuid('app_id').notNull(),
    botId: uuid('bot_id').notNull(),
    platform: text({ enum: platformNames }),
    kind: text().$type<ChatPlace['kind']>(),
    chatId: uuid('chat_id'),
    groupId: uuid('group_id'),
    threadId: text('thread_id'),
    priority: integer().notNull(),
    /** Identifies the place. */
    fingerprint: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('app_bindings_once').on(table.tenantId, table.botId, table.appId, table.fingerprint),
    index('app_bindings_by_app').on(table.tenantId, table.appId, table.bindingId),
  ],
);

/** Records that bots have collected or admins have written. */
export const appRecords = tenantTable(
  'app_records',
  ['recordId'],
  {
    recordId: uuid('record_id').notNull(),
    appId: uuid('app_id').notNull(),
    type: text().notNull(),
    fields: jsonb().$type<AppRecord['fields']>().notNull(),
    /** Its texts, normalized for searching. */
    searchText: text('search_text').notNull(),
    source: text({ enum: ['bot', 'admin'] }).notNull(),
    botId: uuid('bot_id'),
    agentId: uuid('agent_id'),
    chatId: uuid('chat_id'),
    personId: uuid('person_id'),
    messageId: uuid('message_id'),
    /** Derived from the message and the call's place in its turn: a repeated turn overwrites the same record. */
    originKey: text('origin_key'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    unique('app_records_once').on(table.tenantId, table.appId, table.originKey),
    index('app_records_by_type').on(table.tenantId, table.appId, table.type, table.recordId),
  ],
);
