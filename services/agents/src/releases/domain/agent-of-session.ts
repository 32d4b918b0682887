import { createHash } from 'node:crypto';
import { agentInVersion } from '../../definitions/domain/whole-version.ts';
import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import type { SessionRelease } from '../../store/releases-schema.ts';
import type { SessionAgents } from '../../store/schema.ts';

/** A conversation's session, with the agents that have answered in it. Its first message names it. */
export interface Session {
  sessionId: string;
  agents: SessionAgents;
}

/**
 * The agent in the version that answers this session. The first answer of the agent has decided; before it, the hash
 * of session and release does. After the end of a release it is the live version.
 */
export function agentOfSession(
  agent: AgentAtWork,
  { sessionId, agents }: Session,
): { agent: AgentAtWork; release: SessionRelease | null } {
  const { candidate } = agent;
  if (!candidate) return { agent, release: null };
  const { releaseId, share, version, content, parts } = candidate;
  const decision = agents[agent.id];
  const isCandidate =
    decision === undefined ? isInShare({ releaseId, sessionId }, share) : decision === releaseId;
  const release = { releaseId, isCandidate };
  if (!isCandidate) return { agent, release };
  return { agent: agentInVersion(agent, { version, content, parts, contentHash: null }), release };
}

/** Whether a session is one of so many percent. A greater share has all sessions of a smaller one. */
export function isInShare(
  { releaseId, sessionId }: { releaseId: string; sessionId: string },
  share: number,
): boolean {
  const hash = createHash('sha256').update(`${releaseId} ${sessionId}`).digest();
  return hash.readUInt32BE() / 2 ** 32 < share / 100;
}
