import type { Schema } from '@botyard/client/client';
import { useList } from '../../../api/use-answer.ts';

export type Release = Schema<'AgentRelease'>;
export type RuleEvidence = Release['evidence'][number];

/** The releases of an agent, newest first. A running one is polled, because its evidence sends no event. */
export function useReleases(agentId: string) {
  const releases = useList('/api/definitions/agents/{id}/releases', {
    path: { id: agentId },
    live: { events: ['release.changed'] },
    isUnsettled: ({ state }) => state === 'running',
  });
  const running = releases.data?.find(({ state }) => state === 'running');
  return { releases, running };
}
