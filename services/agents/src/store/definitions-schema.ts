import type { AgentContent, AgentParts } from '@botyard/contracts/http/definitions-agent-versions';
import type { CopyOrigin, DefinitionKind } from '@botyard/contracts/http/definitions-common';
import type { MarketplaceItem } from '@botyard/contracts/http/definitions-marketplace';
import type { Provider } from '@botyard/contracts/http/provider';
import type { ModelSettings } from '@botyard/contracts/http/settings-of-model';
import type { ToolKind } from '@botyard/contracts/http/tool-kinds';
import { createdAt, moment } from '@botyard/shared/db/columns';
import {
  boolean,
  customType,
  index,
  integer,
  jsonb,
  sql,
  text,
  unique,
  uuid,
} from '@botyard/shared/db/drizzle';
import { belongsTo } from './belongs-to.ts';
import { tenantTable } from './schema.ts';

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });

/** Columns that all kinds of definitions have. */
const common = () => ({
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

export const agentDefinitions = tenantTable('agent_definitions', ['id'], {
  ...common(),
  instructions: text().notNull(),
  provider: text().$type<Provider>().notNull(),
  model: text().notNull(),
  keywords: text().array().notNull(),
  toolIds: uuid('tool_ids').array().notNull().default([]),
  capabilityIds: uuid('capability_ids').array().notNull().default([]),
  /** MCP servers whose allowed tools it has. */
  serverIds: uuid('server_ids').array().notNull().default([]),
  /** A disabled agent answers nobody (`PATCH /api/agents/:agentId/status`). */
  isEnabled: boolean('is_enabled').notNull().default(true),
  /** The running release, whose candidate answers a share of the sessions. */
  releaseId: uuid('release_id'),
  /** Whether messages outside the context window are summarized. */
  keepsSummary: boolean('keeps_summary').notNull().default(false),
  /** The contract's `modelSettings`; the provider's defaults apply to omitted settings. */
  modelSettings: jsonb('model_settings').$type<ModelSettings>().notNull().default({}),
});

/**
 * Former states of an agent, by the version of its definition. Rows never change, except that the live version of an
 * agent from before tools were kept gets its parts with the next change.
 */
export const agentVersions = tenantTable(
  'agent_versions',
  ['agentId', 'version'],
  {
    agentId: uuid('agent_id').notNull(),
    version: integer().notNull(),
    content: jsonb().$type<AgentContent>().notNull(),
    /** The definitions of its tools and capabilities; `null` if they are not kept. */
    parts: jsonb().$type<AgentParts>(),
    /** The SHA-256 of everything that the agent is in this version; `null` without parts. */
    contentHash: text('content_hash'),
    /** The size of the content and the parts as JSON. */
    bytes: integer().notNull(),
    /** The fields that differ from the previous version. */
    changed: text().array().$type<(keyof AgentContent)[]>().notNull(),
    restoredFrom: integer('restored_from'),
    /** The words of the person who made it live. */
    note: text(),
    overrideReason: text('override_reason'),
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
  },
  (table) => [belongsTo('agent_versions_of_agent', table, agentDefinitions, { agentId: 'id' })],
);

/** The changes of an agent that are not live yet; at most one draft for each agent. */
export const agentDrafts = tenantTable(
  'agent_drafts',
  ['agentId'],
  {
    agentId: uuid('agent_id').notNull(),
    /** The version of the definition that the draft changes. */
    base: integer().notNull(),
    /** The drafted fields only. */
    fields: jsonb().$type<Partial<AgentContent>>().notNull(),
    updatedBy: uuid('updated_by').notNull(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [belongsTo('agent_drafts_of_agent', table, agentDefinitions, { agentId: 'id' })],
);

/** A tool of a kind, with a tenant's settings. Its name is what models call it by. */
export const toolDefinitions = tenantTable(
  'tool_definitions',
  ['id'],
  {
    ...common(),
    kind: text().$type<ToolKind>().notNull(),
    /** Has the form of the kind's `settings` (`contracts/tool-kinds`). */
    settings: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  },
  (table) => [unique('tool_definitions_by_name').on(table.tenantId, table.name)],
);

/** A bundle of tools and the instructions for them. */
export const capabilityDefinitions = tenantTable('capability_definitions', ['id'], {
  ...common(),
  instructions: text().notNull(),
  keywords: text().array().notNull(),
  toolIds: uuid('tool_ids').array().notNull().default([]),
});

type AgentRow = typeof agentDefinitions.$inferSelect;
type CapabilityRow = typeof capabilityDefinitions.$inferSelect;
type ToolRow = typeof toolDefinitions.$inferSelect;

/** A definition with all its parts, as published. Identifiers connect the parts. */
export interface PublishedContent {
  agent:
    | (Pick<
        AgentRow,
        | 'name'
        | 'description'
        | 'instructions'
        | 'provider'
        | 'model'
        | 'keywords'
        | 'toolIds'
        | 'capabilityIds'
      > & {
        /** Absent if there are none. */
        modelSettings?: ModelSettings;
        /** Absent if there are none, and in publications: servers belong to one tenant. */
        serverIds?: string[];
      })
    | null;
  /** The agent's capabilities, or the published one. */
  capabilities: Pick<
    CapabilityRow,
    'id' | 'name' | 'description' | 'instructions' | 'keywords' | 'toolIds'
  >[];
  /** The tools of the agent and the capabilities, or the published one. */
  tools: Pick<ToolRow, 'id' | 'name' | 'description' | 'kind' | 'settings'>[];
}

/** The public data of a publication besides its name. */
export type PublishedSummary = Pick<MarketplaceItem, 'runsOn' | 'capabilities' | 'tools' | 'hosts'>;

/** The last publication of a definition; a withdrawn one keeps its version number. */
export const publications = tenantTable(
  'publications',
  ['kind', 'id'],
  {
    kind: text().$type<DefinitionKind>().notNull(),
    /** The definition. */
    id: uuid().notNull(),
    /** The identifier of the marketplace item, which is new with every publication. */
    publicationId: uuid('publication_id').notNull().unique(),
    version: integer().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    summary: jsonb().$type<PublishedSummary>().notNull(),
    content: jsonb().$type<PublishedContent>().notNull(),
    searchText: text('search_text').notNull(),
    words: tsvector().notNull().generatedAlwaysAs(sql`to_tsvector('simple', search_text)`),
    publishedAt: moment('published_at').notNull().defaultNow(),
    withdrawnAt: moment('withdrawn_at'),
  },
  (table) => [
    unique('publications_by_definition').on(table.kind, table.id),
    index('publications_by_time').on(table.publicationId).where(sql`withdrawn_at is null`),
  ],
);
