import type { DefinitionKind } from '@botyard/contracts/http/definitions-common';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, inArray, isNull, lt, sql } from '@botyard/shared/db/drizzle';
import { publications } from '../../store/definitions-schema.ts';
import { isWithin } from '../../store/reach.ts';
import { listDraftedAgents } from './agent-drafts.ts';
import type { DefinitionKey } from './definitions.ts';

export type PublicationRow = Omit<typeof publications.$inferSelect, 'words'>;
type NewPublication = Omit<PublicationRow, 'publishedAt' | 'withdrawnAt'>;
/** All fields except large ones. */
export type ListedPublication = Pick<
  PublicationRow,
  | 'tenantId'
  | 'kind'
  | 'id'
  | 'publicationId'
  | 'version'
  | 'name'
  | 'description'
  | 'summary'
  | 'publishedAt'
>;

const { tenantId, kind, id, publicationId, version, name, description, summary, publishedAt } = publications;
const listed = { tenantId, kind, id, publicationId, version, name, description, summary, publishedAt };
const { content, searchText, withdrawnAt } = publications;
const whole = { ...listed, content, searchText, withdrawnAt };

interface PublicationKey extends DefinitionKey {
  kind: DefinitionKind;
}

const matches = (key: PublicationKey) => and(eq(tenantId, key.tenantId), eq(kind, key.kind), eq(id, key.id));

/** The last publication, even if it was withdrawn. */
export async function getPublication(tx: TenantTx, key: PublicationKey): Promise<PublicationRow | undefined> {
  const [row] = await tx.db.select(whole).from(publications).where(matches(key));
  return row;
}

/** Publishes the definition, replacing its previous publication. */
export async function savePublication(tx: TenantTx, publication: NewPublication): Promise<void> {
  const now = { publishedAt: sql`now()`, withdrawnAt: null };
  await tx.db
    .insert(publications)
    .values(publication)
    .onConflictDoUpdate({ target: [tenantId, kind, id], set: { ...publication, ...now } });
}

export async function withdrawPublication(tx: TenantTx, key: PublicationKey): Promise<void> {
  await tx.db
    .update(publications)
    .set({ withdrawnAt: sql`now()` })
    .where(and(matches(key), isNull(withdrawnAt)));
}

export async function deletePublication(tx: TenantTx, key: PublicationKey): Promise<void> {
  await tx.db.delete(publications).where(matches(key));
}

/** A definition with its entry in the marketplace, and whether it has a draft. */
export type Shown<Row> = Row & {
  publication: Pick<PublicationRow, 'version' | 'publishedAt'> | null;
  /** Only agents have drafts. */
  hasDraft: boolean;
};

export async function withPublications<Row extends DefinitionKey>(
  tx: TenantTx,
  ofKind: DefinitionKind,
  rows: readonly Row[],
): Promise<Shown<Row>[]> {
  const [first] = rows;
  if (!first) return [];
  const ids = rows.map((row) => row.id);
  const liveVersions = await tx.db
    .select({ id, version, publishedAt })
    .from(publications)
    .where(and(eq(tenantId, first.tenantId), eq(kind, ofKind), inArray(id, ids), isNull(withdrawnAt)));
  const byId = new Map(liveVersions.map((one) => [one.id, one]));
  const drafted = ofKind === 'agent' ? await listDraftedAgents(tx, first.tenantId, ids) : new Set();
  return rows.map((row) => ({
    ...row,
    publication: byId.get(row.id) ?? null,
    hasDraft: drafted.has(row.id),
  }));
}

/** A publication of any existing tenant, unless it was withdrawn. */
export async function findPublished(
  tx: PlatformTx,
  wanted: Pick<PublicationKey, 'kind' | 'id'>,
): Promise<PublicationRow | undefined> {
  const [row] = await tx.db
    .select(whole)
    .from(publications)
    .where(and(eq(kind, wanted.kind), eq(id, wanted.id), isNull(withdrawnAt), isWithin(tenantId, null)));
  return row;
}

/** Publications of existing tenants, latest first, one more than the page's limit. */
export async function listPublished(
  tx: PlatformTx,
  wanted: PageRequest & { kind?: DefinitionKind | undefined; query?: string | undefined },
): Promise<ListedPublication[]> {
  return await tx.db
    .select(listed)
    .from(publications)
    .where(
      and(
        isNull(withdrawnAt),
        isWithin(tenantId, null),
        wanted.kind ? eq(kind, wanted.kind) : undefined,
        wanted.query ? hasWords(wanted.query) : undefined,
        wanted.before ? lt(publicationId, wanted.before) : undefined,
      ),
    )
    .orderBy(desc(publicationId))
    .limit(wanted.limit + 1);
}

/**
 * Matches when every word of the text is the beginning of a word in the publication. A text without words matches
 * nothing.
 */
const hasWords = (text: string) => sql`${publications.words} @@ (
  select to_tsquery('simple', coalesce(string_agg(quote_literal(word) || ':*', ' & '), ''))
  from unnest(tsvector_to_array(to_tsvector('simple', ${text}))) as word)`;
