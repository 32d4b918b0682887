import { ask } from '../../rig/people.ts';
import { type BenchAgent, benchAgent, type Installation } from './installation.ts';

interface Release {
  releaseId: string;
  sessions: { candidate: number; live: number };
}

/** Releases of an equal version of each agent, all at the same time. */
export class Releases {
  readonly #installation: Installation;
  readonly #agents: readonly BenchAgent[];
  readonly #running = new Map<BenchAgent, string>();
  readonly sessions = { candidate: 0, live: 0 };

  private constructor(installation: Installation, agents: readonly BenchAgent[]) {
    this.#installation = installation;
    this.#agents = agents;
  }

  /** Makes version 2 of each agent live, so that version 1 can be released. */
  static async prepare(installation: Installation, agents: readonly BenchAgent[]): Promise<Releases> {
    const releases = new Releases(installation, agents);
    for (const agent of agents)
      await releases.#call(agent, 'PUT', '', { ...benchAgent, instructions: 'Answer briefly.' });
    return releases;
  }

  async start(share: number): Promise<void> {
    for (const agent of this.#agents) {
      const { releaseId } = await this.#call<Release>(agent, 'POST', '/releases', { version: 1, share });
      this.#running.set(agent, releaseId);
    }
  }

  /** Withdraws the releases, and adds their sessions to `sessions`. */
  async withdraw(): Promise<void> {
    for (const [agent, releaseId] of this.#running) {
      const { sessions } = await this.#call<Release>(agent, 'POST', `/releases/${releaseId}/withdraw`, {});
      this.sessions.candidate += sessions.candidate;
      this.sessions.live += sessions.live;
    }
    this.#running.clear();
  }

  async #call<Body>(
    { tenantId, agentId }: BenchAgent,
    method: 'POST' | 'PUT',
    path: string,
    body: unknown,
  ): Promise<Body> {
    await ask(this.#installation, undefined, 'POST /api/tenant/select', { tenantId });
    return await ask<Body>(
      this.#installation,
      undefined,
      `${method} /api/definitions/agents/${agentId}${path}`,
      body,
    );
  }
}
