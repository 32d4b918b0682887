import type { Role } from '@botyard/shared/auth/caller';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { readObject, readSubject } from '../src/authorization/domain/references.ts';

/** `subject relation object`, as the API spells them. */
export type EdgeText = readonly [subject: string, relation: Role, object: string];

/** Writes edges of a tenant in one statement, bypassing the API. */
export async function writeEdges(
  harness: ServiceHarness,
  tenantId: string,
  edges: readonly EdgeText[],
): Promise<void> {
  const rows = edges.map(([subjectText, relation, objectText]) => {
    const [subject, object] = [readSubject(subjectText), readObject(objectText)];
    return [subject.type, subject.id, subject.relation, relation, object.type, object.id];
  });
  const columns = [0, 1, 2, 3, 4, 5].map((index) => rows.map((row) => row[index]));
  await harness.asOwner(
    `insert into tenancy.edges (tenant_id, subject_type, subject_id, subject_relation, relation, object_type, object_id, bot_id)
     select $1, s, i, r, e, o, n, case when o = 'bot' then n::uuid end
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) as t (s, i, r, e, o, n)
     on conflict do nothing`,
    [tenantId, ...columns],
  );
}

export async function clearEdges(harness: ServiceHarness): Promise<void> {
  await harness.asOwner('delete from tenancy.edges');
}
