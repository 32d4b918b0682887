import { type Page, type PageRequest, pageOfRows } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { getRelease } from '../../releases/store/releases.ts';
import type { Deps } from '../deps.ts';
import { type ListedShadow, listShadows } from '../store/shadow-answers.ts';

interface ReleaseOfAgent {
  tenantId: string;
  agentId: string;
  releaseId: string;
}

/** The answers of a release's candidate beside the live ones. @throws HttpError 404. */
export async function readShadowAnswers(
  { database }: Pick<Deps, 'database'>,
  key: ReleaseOfAgent,
  page: PageRequest,
): Promise<Page<ListedShadow>> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    found(await getRelease(tx, key), 'release');
    return pageOfRows(await listShadows(tx, key, page), page, ({ turnId }) => turnId);
  });
}
