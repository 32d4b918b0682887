import type { DefinitionsHealth } from '@botyard/contracts/http/definitions-marketplace';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { listAllDefinitions } from '../store/definitions.ts';
import { countEverything, listDangling } from '../store/definitions-health.ts';
import { listSourceStates } from '../store/source-states.ts';
import { whyUnusable } from './available-tools.ts';

const maxProblems = 100;

/** The faults of a tenant's definitions. Only what is known here is checked: provider keys are not. */
export async function checkDefinitions(database: Database, tenantId: string): Promise<DefinitionsHealth> {
  return await withTenant(database, [tenantId], async (tx) => {
    const tools = await listAllDefinitions(tx, 'tool', tenantId);
    const sources = await listSourceStates(tx, tenantId);
    const unusable = tools.flatMap((tool) => {
      const problem = whyUnusable(tool, sources);
      return problem ? [{ kind: 'tool' as const, id: tool.id, name: tool.name, problem }] : [];
    });
    const problems = [...(await listDangling(tx, tenantId, maxProblems)), ...unusable].slice(0, maxProblems);
    const counts = await countEverything(tx, tenantId);
    return { status: problems.length === 0 ? 'ok' : 'degraded', counts, problems };
  });
}
