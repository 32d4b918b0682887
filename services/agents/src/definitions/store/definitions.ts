import {
  type DefinitionKind,
  type definitionSorts,
  maxDefinitions,
} from '@botyard/contracts/http/definitions-common';
import type { Provider } from '@botyard/contracts/http/provider';
import type { SortedPageRequest, SortOf } from '@botyard/contracts/http/sorted-page';
import type { ToolKind } from '@botyard/contracts/http/tool-kinds';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, ilike, inArray, or, type SQL, sql } from '@botyard/shared/db/drizzle';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { translated } from '@botyard/shared/db/rows';
import { byMoment, byText, containing, sorted } from '@botyard/shared/db/sorting';
import { conflict } from '@botyard/shared/http/errors';
import { agentDefinitions, capabilityDefinitions, toolDefinitions } from '../../store/definitions-schema.ts';

const tables = { agent: agentDefinitions, capability: capabilityDefinitions, tool: toolDefinitions };

export interface DefinitionRows {
  agent: typeof agentDefinitions.$inferSelect;
  capability: typeof capabilityDefinitions.$inferSelect;
  tool: typeof toolDefinitions.$inferSelect;
}
export interface NewDefinitions {
  agent: typeof agentDefinitions.$inferInsert;
  capability: typeof capabilityDefinitions.$inferInsert;
  tool: typeof toolDefinitions.$inferInsert;
}

export interface DefinitionKey {
  tenantId: string;
  id: string;
}

/** The table of a kind, typed by the columns that all three share; selects return all columns of the actual table. */
const tableOf = (kind: DefinitionKind) => tables[kind] as unknown as typeof toolDefinitions;
const matches = (kind: DefinitionKind, { tenantId, id }: DefinitionKey) =>
  and(eq(tableOf(kind).tenantId, tenantId), eq(tableOf(kind).id, id));

/**
 * Locks the tenant's definitions until the end of the transaction. References, names and counts are checked under it,
 * since lists of identifiers have no foreign keys.
 */
export const lockDefinitions = (tx: TenantTx, tenantId: string): Promise<void> =>
  lockNamed(tx, `agents.definitions ${tenantId}`);

/** @throws HttpError 409 when the tenant already has a tool of this name. */
export async function insertDefinitions<Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  rows: readonly NewDefinitions[Kind][],
): Promise<DefinitionRows[Kind][]> {
  if (rows.length === 0) return [];
  const values = rows as unknown as NewDefinitions['tool'][];
  const inserted = await translated(tx.db.insert(tableOf(kind)).values(values).returning(), refusals);
  return inserted as DefinitionRows[Kind][];
}

export async function getDefinition<Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  key: DefinitionKey,
): Promise<DefinitionRows[Kind] | undefined> {
  const [row] = await tx.db.select().from(tableOf(kind)).where(matches(kind, key));
  return row as DefinitionRows[Kind] | undefined;
}

/** Locks the definition against new references, after waiting for pending ones. Returns `false` for an unknown one. */
export async function lockDefinition(
  tx: TenantTx,
  kind: DefinitionKind,
  key: DefinitionKey,
): Promise<boolean> {
  const table = tableOf(kind);
  const rows = await tx.db.select({ id: table.id }).from(table).where(matches(kind, key)).for('update');
  return rows.length > 0;
}

/** Filters of a list of definitions; those that don't apply to a kind are ignored. */
interface DefinitionFilter {
  /** A part of the name or of the description. */
  q?: string | undefined;
  /** Applies to agents only. */
  provider?: Provider | undefined;
  model?: string | undefined;
  isEnabled?: boolean | undefined;
  /** Applies to tools only. */
  kind?: ToolKind | undefined;
}
export type DefinitionsRequest = SortedPageRequest<SortOf<typeof definitionSorts>> & DefinitionFilter;

/** One more than the page's limit. */
export async function listDefinitions<Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  { tenantId, ...request }: DefinitionsRequest & { tenantId: string },
): Promise<DefinitionRows[Kind][]> {
  const table = tableOf(kind);
  const columns = { createdAt: null, updatedAt: byMoment(table.updatedAt), name: byText(table.name) };
  const { after, order } = sorted(request, columns, table.id);
  const rows = await tx.db
    .select()
    .from(table)
    .where(and(eq(table.tenantId, tenantId), ...narrowed(kind, request), after))
    .orderBy(...order)
    .limit(request.limit + 1);
  return rows as DefinitionRows[Kind][];
}

/** A definition's cursor in a list that is sorted by the field. */
export const placeOfDefinition = (
  { id, name, updatedAt }: Pick<DefinitionRows['tool'], 'id' | 'name' | 'updatedAt'>,
  field: string,
) => ({ id, ...(field === 'updatedAt' ? { value: updatedAt } : field === 'name' ? { value: name } : {}) });

/** All definitions of a kind, newest first. The limit per tenant bounds their number. */
export const listAllDefinitions = <Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  tenantId: string,
): Promise<DefinitionRows[Kind][]> =>
  listDefinitions(tx, kind, { tenantId, limit: maxDefinitions[kind], sort: '-createdAt' });

function narrowed(
  kind: DefinitionKind,
  { q, provider, model, isEnabled, kind: toolKind }: DefinitionFilter,
): (SQL | undefined)[] {
  const { name, description } = tableOf(kind);
  const pattern = q && containing(q);
  return [
    pattern ? or(ilike(name, pattern), ilike(description, pattern)) : undefined,
    kind === 'agent' && provider ? eq(agentDefinitions.provider, provider) : undefined,
    kind === 'agent' && model ? eq(agentDefinitions.model, model) : undefined,
    kind === 'agent' && isEnabled !== undefined ? eq(agentDefinitions.isEnabled, isEnabled) : undefined,
    kind === 'tool' && toolKind ? eq(toolDefinitions.kind, toolKind) : undefined,
  ];
}

/** The tenant's definitions with these identifiers, in their order. */
export async function listDefinitionsInOrder<Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  { tenantId, ids }: { tenantId: string; ids: readonly string[] },
): Promise<DefinitionRows[Kind][]> {
  if (ids.length === 0) return [];
  const table = tableOf(kind);
  const rows = await tx.db
    .select()
    .from(table)
    .where(and(eq(table.tenantId, tenantId), inArray(table.id, [...ids])));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []) as DefinitionRows[Kind][];
}

export const countDefinitions = (tx: TenantTx, kind: DefinitionKind, tenantId: string): Promise<number> =>
  tx.db.$count(tableOf(kind), eq(tableOf(kind).tenantId, tenantId));

/** Saves the change as the next version. @throws HttpError 409 when the tenant has another tool of this name. */
export async function updateDefinition<Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  { key, change }: { key: DefinitionKey; change: Partial<NewDefinitions[Kind]> },
): Promise<DefinitionRows[Kind]> {
  const table = tableOf(kind);
  const updating = tx.db
    .update(table)
    .set({ ...change, version: sql`${table.version} + 1`, updatedAt: sql`now()` })
    .where(matches(kind, key))
    .returning();
  const [row] = await translated(updating, refusals);
  return row as DefinitionRows[Kind];
}

export async function deleteDefinition(
  tx: TenantTx,
  kind: DefinitionKind,
  key: DefinitionKey,
): Promise<void> {
  await tx.db.delete(tableOf(kind)).where(matches(kind, key));
}

const refusals = {
  tool_definitions_by_name: (cause: unknown) =>
    conflict('the tenant already has a tool of this name: choose another name', {
      cause,
    }),
};
