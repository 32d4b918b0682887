import type { Client, Schema } from '@botyard/client/client';
import { CliError } from '../cli-error.ts';
import { all } from '../kinds/kind.ts';

export interface ReleaseOptions {
  /** The name of the agent. */
  agent: string;
  /** Starts a release of this version. */
  version?: number | undefined;
  /** Starts a release of the draft. */
  draft?: boolean | undefined;
  /** Percent of the sessions. */
  share?: number | undefined;
  ends?: 'withdraw' | 'promote' | undefined;
  reason?: string | undefined;
  write: (text: string) => void;
}

type Release = Schema<'AgentRelease'>;

/** Starts or ends a release of an agent, or shows its newest one. @throws CliError, ApiError. */
export async function release(api: Client, options: ReleaseOptions): Promise<void> {
  const { version, draft, share, ends, reason, write } = options;
  const id = await agentIdOf(api, options.agent);
  if (version !== undefined || draft) {
    const body = { ...(draft ? { draft } : { version }), ...(share === undefined ? {} : { share }) } as never;
    const params = { path: { id } };
    return write(textOf(await api.post('/api/definitions/agents/{id}/releases', { params, body })));
  }
  const query = { limit: 1 };
  const { items } = await api.page('/api/definitions/agents/{id}/releases', {
    params: { path: { id }, query },
  });
  const [newest] = items;
  if (!newest) throw new CliError(`${options.agent} has no release: start one with --version or --draft`);
  if (ends === undefined) return write(textOf(newest));
  const params = { path: { id, releaseId: newest.releaseId } };
  const body = reason === undefined ? {} : { reason };
  const path = `/api/definitions/agents/{id}/releases/{releaseId}/${ends}` as const;
  write(textOf(await api.post(path, { params, body })));
}

async function agentIdOf(api: Client, name: string): Promise<string> {
  const named = (await all(api.list('/api/definitions/agents'))).filter((agent) => agent.name === name);
  if (named.length !== 1)
    throw new CliError(`${named.length === 0 ? 'no agent is' : 'several agents are'} called "${name}"`);
  return named[0]!.id;
}

function textOf({ version, share, state, reason, sessions, evidence }: Release): string {
  const rules = evidence.map(
    ({ outcome, candidate, live, evidence: value, withdrawsAt }) =>
      `  ${outcome}: candidate ${candidate.worse} of ${candidate.sessions}, live ${live.worse} of ${live.sessions}; ` +
      `evidence ${value.toFixed(2)}, withdrawn at ${withdrawsAt}\n`,
  );
  return (
    `version ${version}: ${state}, ${share} % of new sessions${reason ? ` (${reason})` : ''}\n` +
    `  sessions: candidate ${sessions.candidate}, live ${sessions.live}\n${rules.join('')}`
  );
}
