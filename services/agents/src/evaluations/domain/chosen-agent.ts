import { HttpError } from '@botyard/shared/http/errors';
import { previewTriage } from '../../routing/domain/preview.ts';
import type { Deps } from '../deps.ts';

/** The agent that triage chooses among some, without a model; `null` for none, or if one of them is gone. */
export async function chosenAgent(
  deps: Deps,
  tenantId: string,
  { message, agentIds }: { message: string; agentIds: string[] },
): Promise<string | null> {
  if (agentIds.length === 0) return null;
  try {
    return (await previewTriage(deps, tenantId, { message, agentIds })).agentId;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return null;
    throw error;
  }
}
