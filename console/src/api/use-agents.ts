import { useSeesTenant } from './acting.tsx';
import { useList } from './use-answer.ts';

/** The tenant's agents and their display names. A responder sees none of them. */
export function useAgents() {
  const agents = useList('/api/definitions/agents', { query: { limit: 500 }, enabled: useSeesTenant() });
  const nameOf = (agentId: string): string =>
    agents.data ? (agents.data.find(({ id }) => id === agentId)?.name ?? 'deleted agent') : '…';
  return { ...agents, nameOf };
}
