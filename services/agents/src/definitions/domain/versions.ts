import { UpdateAgentDefinitionBody } from '@botyard/contracts/http/definitions-agents';
import { type Page, type PageRequest, pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { invalid } from '@botyard/shared/http/errors';
import { issuesOf } from '@botyard/shared/http/issues';
import type { Deps } from '../deps.ts';
import { type AgentVersionRow, getAgentVersion, listAgentVersions } from '../store/agent-versions.ts';
import type { DefinitionKey, DefinitionRows } from '../store/definitions.ts';
import type { Shown } from '../store/publications.ts';
import { partsOf } from './agent-parts.ts';
import { requireDefinition, updateDefinition } from './definitions.ts';
import { versionRow } from './version-row.ts';

/** Newest first, including the current version even if it was never saved. @throws HttpError 404. */
export async function listVersions(
  { database }: Pick<Deps, 'database'>,
  key: DefinitionKey,
  query: PageRequest,
): Promise<Page<AgentVersionRow & { isCurrent: boolean }>> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    const agent = await requireDefinition(tx, 'agent', key);
    const kept = await listAgentVersions(tx, key, query);
    const isMissing = query.before === undefined && kept[0]?.version !== agent.version;
    const rows = isMissing
      ? [versionRow(agent, { parts: await partsOf(tx, agent), createdBy: null }), ...kept]
      : kept;
    const toItem = (row: AgentVersionRow) => ({ ...row, isCurrent: row.version === agent.version });
    return pageOf(rows, query, toItem, ({ version }) => String(version));
  });
}

/**
 * Creates a new version of an agent with the content of an earlier one, unless the content is unchanged. @throws
 * HttpError 404, or 400 as an update when something that the version refers to no longer exists.
 */
export async function restoreVersion(
  deps: Deps,
  { key, version, by }: { key: DefinitionKey; version: number; by: string },
): Promise<Shown<DefinitionRows['agent']>> {
  return await updateDefinition(deps, 'agent', {
    key,
    by,
    about: { restoredFrom: version },
    changeOf: async (row, tx) => {
      if (row.version === version) return {};
      const kept = found(await getAgentVersion(tx, key, version), 'version');
      // The old content may no longer be valid.
      const content = UpdateAgentDefinitionBody.safeParse(kept.content);
      if (!content.success) throw invalid(issuesOf(content.error, kept.content));
      return content.data;
    },
  });
}
