import type { CopyOrigin } from '@botyard/shared/contracts/definitions';
import type { Provider } from '@botyard/shared/contracts/keys';
import type { ToolKind } from '@botyard/shared/contracts/tool-kinds';
import { createdAt, moment, tenantPolicy } from '@botyard/shared/db/columns';
import { boolean, integer, jsonb, primaryKey, text, unique, uuid } from '@botyard/shared/db/drizzle';
import { agents } from '../schema.ts';

/** What every definition has: its tenant, its name, and which version of it this is. */
const common = () => ({
  tenantId: uuid('tenant_id').notNull(),
  id: uuid().notNull().unique(),
  name: text().notNull(),
  description: text().notNull(),
  /** Grows with every change. */
  version: integer().notNull().default(1),
  /** The publication that this is a copy of. */
  copiedFrom: jsonb('copied_from').$type<CopyOrigin>(),
  createdAt: createdAt(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

export const agentDefinitions = agents.table(
  'agent_definitions',
  {
    ...common(),
    instructions: text().notNull(),
    provider: text().$type<Provider>().notNull(),
    model: text().notNull(),
    keywords: text().array().notNull(),
    toolIds: uuid('tool_ids').array().notNull().default([]),
    capabilityIds: uuid('capability_ids').array().notNull().default([]),
    /** A disabled agent answers nobody (`PATCH /api/agents/:agentId/status`). */
    isEnabled: boolean('is_enabled').notNull().default(true),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.id] }), tenantPolicy()],
);

/** A tool of a kind, with the settings that a tenant gave it. Its name is the one that a model calls it by. */
export const toolDefinitions = agents.table(
  'tool_definitions',
  {
    ...common(),
    kind: text().$type<ToolKind>().notNull(),
    /** As the kind's `settings` say (`contracts/tool-kinds`). */
    settings: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    unique('tool_definitions_by_name').on(table.tenantId, table.name),
    tenantPolicy(),
  ],
);

/** A bundle of tools and the instructions for them. */
export const capabilityDefinitions = agents.table(
  'capability_definitions',
  {
    ...common(),
    instructions: text().notNull(),
    keywords: text().array().notNull(),
    toolIds: uuid('tool_ids').array().notNull().default([]),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.id] }), tenantPolicy()],
);
