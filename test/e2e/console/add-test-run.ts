import { eventually } from '@botyard/testing/eventually';
import type { LocalInstallation } from '../attack/local-installation.ts';

interface RunOfSet {
  /** The name of the set. */
  name: string;
  agentId: unknown;
  testCase: object;
  judge?: object;
}

/** A set with one case, which the live version of its agent has answered. */
export async function addTestRun(
  installation: LocalInstallation,
  { name, agentId, testCase, judge }: RunOfSet,
): Promise<void> {
  const set = { name, agentId, mayUsePlatformKey: true, judge };
  const { setId } = await installation.api<{ setId: string }>('POST', '/api/evaluations/sets', set);
  await installation.api('POST', `/api/evaluations/sets/${setId}/cases`, testCase);
  await installation.api('POST', '/api/evaluations/runs', { setId });
  await eventually('the run is done', async () => {
    const run = await installation.firstOf(`/api/evaluations/runs?setId=${setId}`);
    return run?.state === 'done';
  });
}
