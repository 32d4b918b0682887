import type { InputForm, Inputs } from '@botyard/contracts/http/integrations-inputs';
import type { AccessEffect } from '@botyard/contracts/http/integrations-rules';
import type { ToolServerState } from '@botyard/contracts/http/integrations-servers';
import type {
  ExecutionOutcome,
  TicketStatus,
  ToolRequester,
} from '@botyard/contracts/http/integrations-tickets';
import type { ConnectionStatus } from '@botyard/contracts/http/tools';
import { createdAt, moment, platformPolicy, tenantPolicy } from '@botyard/shared/db/columns';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgPolicy,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';
import { belongsTo } from './belongs-to.ts';
import { agents, tenantTable } from './schema.ts';

const tenantId = () => uuid('tenant_id').notNull();
const updatedAt = () => moment('updated_at').notNull().defaultNow();

/** Accounts at external services. Only the provider has the credentials. */
export const toolConnections = tenantTable(
  'tool_connections',
  ['connectionId'],
  {
    connectionId: uuid('connection_id').notNull(),
    userId: uuid('user_id').notNull(),
    toolkit: text().notNull(),
    status: text().$type<ConnectionStatus>().notNull(),
    /** The provider's identifiers of the person and the account. */
    providerUserId: text('provider_user_id').notNull(),
    providerAccountId: text('provider_account_id').notNull(),
    /** SHA-256 of the state that the person brings back. It can be used once, until it expires. */
    stateHash: text('state_hash').notNull(),
    stateUsedAt: moment('state_used_at'),
    expiresAt: moment('expires_at').notNull(),
    verifiedAt: moment('verified_at'),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('tool_connections_by_state').on(table.tenantId, table.stateHash),
    uniqueIndex('tool_connections_by_account').on(table.providerAccountId),
  ],
);

/** Rules about the use of tools; a column that is `null` matches everything. */
export const toolRules = tenantTable(
  'tool_rules',
  ['ruleId'],
  {
    ruleId: uuid('rule_id').notNull(),
    effect: text().$type<AccessEffect>().notNull(),
    userId: uuid('user_id'),
    userGroupId: uuid('user_group_id'),
    botId: uuid('bot_id'),
    agentId: uuid('agent_id'),
    toolkit: text(),
    tool: text(),
    toolGroupId: uuid('tool_group_id'),
    note: text().notNull(),
    createdBy: uuid('created_by').notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('tool_rules_once')
      .on(
        table.tenantId,
        table.userId,
        table.userGroupId,
        table.botId,
        table.agentId,
        table.toolkit,
        table.tool,
        table.toolGroupId,
      )
      .nullsNotDistinct(),
  ],
);

/** Named sets of people or tools. */
export const toolGroups = tenantTable(
  'tool_groups',
  ['accessGroupId'],
  {
    accessGroupId: uuid('access_group_id').notNull(),
    name: text().notNull(),
    kind: text().$type<'users' | 'tools'>().notNull(),
    members: text().array().notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [unique('tool_groups_by_name').on(table.tenantId, table.name)],
);

/** A call, and the people for whom it is made. */
const call = () => ({
  conversationId: uuid('conversation_id').notNull(),
  botId: uuid('bot_id').notNull(),
  agentId: uuid('agent_id').notNull(),
  toolId: uuid('tool_id').notNull(),
  toolName: text('tool_name').notNull(),
  toolkit: text().notNull(),
  tool: text().notNull(),
  connectionId: uuid('connection_id'),
  argumentsHash: text('arguments_hash').notNull(),
  requesters: jsonb().$type<ToolRequester[]>().notNull(),
});

/** A call that waits for an approval, and its result (docs/decisions/0023-external-tools.md). */
export const toolTickets = tenantTable(
  'tool_tickets',
  ['ticketId'],
  {
    ticketId: uuid('ticket_id').notNull(),
    status: text().$type<TicketStatus>().notNull(),
    ...call(),
    /** In canonical form: exactly the text that is hashed, and sent after approval. */
    arguments: text().notNull(),
    /** The requesters, and the users who own their accounts. */
    requesterIds: uuid('requester_ids').array().notNull(),
    expiresAt: moment('expires_at').notNull(),
    /**
     * The time from which a worker may claim it: the end of a pause, of the approval period, or of another worker's
     * lease.
     */
    nextAt: moment('next_at').notNull(),
    /** The definition of the MCP server's tool that was allowed when the call was requested. */
    pin: text(),
    fence: bigint({ mode: 'number' }).notNull().default(0),
    tries: integer().notNull().default(0),
    /**
     * Set before the provider is called. From then on, until the answer is stored, it is unknown whether the call had
     * an effect.
     */
    calledAt: moment('called_at'),
    isRepeatable: boolean('is_repeatable').notNull().default(false),
    /** How often the tool's server has asked for input in this call. */
    inputRound: integer('input_round').notNull().default(0),
    /** The server's questions, the state that it wants back, and the answers. They are removed when the call ends. */
    inputForms: jsonb('input_forms').$type<InputForm[]>(),
    requestState: text('request_state'),
    inputs: jsonb().$type<Inputs>(),
    decidedBy: uuid('decided_by'),
    decidedAt: moment('decided_at'),
    note: text(),
    detail: text(),
    /** The tool's result; deleted after a day. */
    result: text(),
    /** The message that continued the conversation. */
    noticeId: uuid('notice_id'),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('tool_tickets_once')
      .on(table.tenantId, table.conversationId, table.toolId, table.argumentsHash)
      .where(sql`status in ('pending', 'approved', 'executing')`),
    index('tool_tickets_due')
      .on(table.tenantId, table.nextAt)
      .where(sql`status in ('pending', 'approved', 'executing')`),
    index('tool_tickets_by_notice').on(table.tenantId, table.noticeId),
  ],
);

/** Every call of an external tool, including refused ones. */
export const toolExecutions = tenantTable(
  'tool_executions',
  ['executionId'],
  {
    executionId: uuid('execution_id').notNull(),
    /** Derived from the ticket, or from the turn and its call, so that the same call is made once. */
    callKey: text('call_key').notNull(),
    ticketId: uuid('ticket_id'),
    ...call(),
    /** As JSON, with likely secrets removed. */
    arguments: text().notNull(),
    decision: text().$type<AccessEffect>().notNull(),
    /** The definition of the MCP server's tool that was called. */
    pin: text(),
    outcome: text().$type<ExecutionOutcome>().notNull(),
    detail: text(),
    /** The result, which the next attempt of the same turn uses; deleted after a day. */
    result: text(),
    logId: text('log_id'),
    decidedBy: uuid('decided_by'),
    startedAt: moment('started_at').notNull().defaultNow(),
    endedAt: moment('ended_at'),
  },
  (table) => [
    unique('tool_executions_once').on(table.tenantId, table.callKey),
    index('tool_executions_open').on(table.startedAt).where(sql`outcome = 'executing'`),
  ],
);

/** MCP servers of tenants. */
export const toolServers = tenantTable(
  'tool_servers',
  ['serverId'],
  {
    serverId: uuid('server_id').notNull(),
    name: text().notNull(),
    url: text().notNull(),
    /** The origin that the sealed value may be sent to. */
    origin: text().notNull(),
    /** The header whose value is sealed; `null` without an authorization. */
    headerName: text('header_name'),
    sealedValue: text('sealed_value'),
    /** Whether an admin signs in at the server's authorization server. */
    usesOauth: boolean('uses_oauth').notNull().default(false),
    /** The owner of the grant that calls use. */
    grantOf: text('grant_of').$type<'tenant' | 'person'>().notNull().default('tenant'),
    /** The client that an admin registered there; `null`: Botyard identifies itself. */
    clientId: text('client_id'),
    sealedClientSecret: text('sealed_client_secret'),
    /** The authorization server of the first sign-in. No other one gets the client's secret. */
    issuer: text(),
    timeoutMs: integer('timeout_ms').notNull(),
    state: text().$type<ToolServerState>().notNull().default('unchecked'),
    lastError: text('last_error'),
    /** When its tools were last read, or failed to be read. */
    checkedAt: moment('checked_at'),
    /** How long its list of tools may be used, by the server's own word and within bounds; `null` without one. */
    listTtlMs: integer('list_ttl_ms'),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [unique('tool_servers_by_name').on(table.tenantId, table.name)],
);

/** The tools of an MCP server, and what an admin decided about them. */
export const serverTools = tenantTable(
  'server_tools',
  ['serverId', 'name'],
  {
    serverId: uuid('server_id').notNull(),
    name: text().notNull(),
    /** Whether the server listed it when its tools were last read. */
    isListed: boolean('is_listed').notNull().default(true),
    /** Its definition in canonical form, and the SHA-256 of that; empty for a refused tool. */
    definition: text().notNull(),
    pin: text().notNull(),
    /** Why it can't be allowed. */
    refusal: text(),
    /** The definition that an admin decided about last, and its pin. */
    decidedDefinition: text('decided_definition'),
    decidedPin: text('decided_pin'),
    isAllowed: boolean('is_allowed').notNull().default(false),
    readsOnly: boolean('reads_only').notNull().default(false),
    repeatable: boolean().notNull().default(false),
    decidedBy: uuid('decided_by'),
    decidedAt: moment('decided_at'),
  },
  (table) => [belongsTo('server_tools_of_server', table, toolServers, { serverId: 'serverId' })],
);

/** Settings of the operator and of the tenant. Without a row the defaults apply. */
export const toolSettings = agents.table(
  'tool_settings',
  {
    tenantId: tenantId().primaryKey(),
    isEnabled: boolean('is_enabled').notNull().default(true),
    toolkits: text().array(),
    toolsUpdatedAt: moment('tools_updated_at'),
    privateLlmAddress: text('private_llm_address'),
    privateLlmModel: text('private_llm_model'),
    privateLlmUpdatedAt: moment('private_llm_updated_at'),
  },
  () => [tenantPolicy()],
);

/** The single row with the toolkits that the platform allows. */
export const platformToolkits = agents.table(
  'platform_toolkits',
  {
    isTheOne: boolean('is_the_one').primaryKey().default(true),
    toolkits: text().array(),
    updatedAt: updatedAt(),
  },
  () => [pgPolicy('anyone_reads', { for: 'select', using: sql`true` }), platformPolicy()],
);
