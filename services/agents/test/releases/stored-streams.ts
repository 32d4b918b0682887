import { randomUUID } from 'node:crypto';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { compareVersions } from '../../src/releases/domain/watch-releases.ts';
import { endRelease, insertRelease, type ReleaseRow } from '../../src/releases/store/releases.ts';
import { type AgentsServices, createAgent } from '../agents-services.ts';
import { type Stream, sessionsOf } from './simulation.ts';

/** The most batches of a release: each counts up to 500 sessions. */
const maxBatches = 100;
const rules = [{ outcome: 'handed_over', worse: 'more' }] as const;

/** Sends streams of sessions through the releases of one agent, one release after the other. */
export class StoredStreams {
  readonly #services: AgentsServices;
  readonly #agentId: string;
  readonly #toolId: string;
  readonly #database: Database;

  private constructor(services: AgentsServices, agentId: string, toolId: string) {
    this.#services = services;
    this.#agentId = agentId;
    this.#toolId = toolId;
    this.#database = services.harness.databaseAs('agents');
  }

  static async open(services: AgentsServices): Promise<StoredStreams> {
    const agentId = await createAgent(services, services.acme, { instructions: 'one' });
    const as = services.acme.admin;
    const path = '/api/definitions';
    await services.agents.call('PUT', `${path}/agents/${agentId}`, { as, body: { instructions: 'two' } });
    const tool = { name: 'hand_over', kind: 'hand_over' };
    const { body } = await services.agents.call('POST', `${path}/tools`, { as, body: tool });
    // Its watch would count the same sessions at the same time.
    await services.agents.stop();
    return new StoredStreams(services, agentId, body.id);
  }

  /**
   * The session after which the candidate of this stream is withdrawn, looked at after each; `null` if never. The
   * sessions are rows as turns leave them, and the watch of production reads and counts them.
   */
  async withdrawnAfter(stream: Stream, seed: number, sessions: number): Promise<number | null> {
    const release = await this.#start();
    const { releaseId } = release;
    await this.#insert(releaseId, stream, seed, sessions);
    const deps = { database: this.#database, log: silent, outbox: silentOutbox };
    for (let batch = 0; batch < maxBatches; batch += 1) {
      await compareVersions(deps, release);
      const { state, counted } = await this.#progressOf(releaseId);
      if (state === 'withdrawn' || counted === sessions) {
        await this.#end(release);
        return state === 'withdrawn' ? counted : null;
      }
    }
    throw new Error(`the stream ${seed} was not counted to its end`);
  }

  async #start(): Promise<ReleaseRow> {
    const { tenantId } = this.#services.acme;
    const row = {
      tenantId,
      agentId: this.#agentId,
      version: 1,
      share: 50,
      shadow: 0,
      steps: [],
      rules: [...rules],
    };
    return await withTenant(this.#database, [tenantId], (tx) =>
      insertRelease(tx, { ...row, createdBy: randomUUID() }),
    );
  }

  /** Each session has one turn, and began hours ago in the order of the stream. */
  async #insert(releaseId: string, stream: Stream, seed: number, count: number): Promise<void> {
    const sessions = [...sessionsOf(stream, seed, count)];
    const hours = Math.ceil(count / stream.sessionsPerHour) + 2;
    await this.#services.harness.asOwner(
      `with session as (
         select gen_random_uuid() as session_id, gen_random_uuid() as conversation_id, is_candidate, is_worse,
           date_trunc('hour', now()) - make_interval(hours => $7 - hour) + make_interval(secs => n % 3600)
             as began_at
         from unnest($4::boolean[], $5::boolean[], $6::int[])
           with ordinality as streamed(is_candidate, is_worse, hour, n)
       ), turn as (
         insert into agents.turns (tenant_id, turn_id, conversation_id, message_ids, reply_id, agent_id, session_id,
           outcome, key_source, context_messages, input_tokens, output_tokens, is_estimated, duration_ms, created_at,
           tool_calls)
         select $1, gen_random_uuid(), conversation_id, '{}', gen_random_uuid(), $3, session_id, 'answered', 'none',
           0, 0, 0, false, 1, began_at,
           case when is_worse then jsonb_build_array(jsonb_build_object('toolId', $8::text, 'outcome', 'ok'))
             else '[]' end
         from session
       )
       insert into agents.release_sessions
         (tenant_id, release_id, session_id, conversation_id, is_candidate, person_id, began_at)
       select $1, $2, session_id, conversation_id, is_candidate, gen_random_uuid(), began_at
       from session`,
      [
        this.#services.acme.tenantId,
        releaseId,
        this.#agentId,
        sessions.map(({ isCandidate }) => isCandidate),
        sessions.map(({ isWorse }) => isWorse),
        sessions.map(({ hour }) => hour),
        hours,
        this.#toolId,
      ],
    );
    await this.#services.harness.asOwner('analyze agents.turns, agents.release_sessions');
  }

  async #progressOf(releaseId: string): Promise<{ state: string; counted: number }> {
    const [row] = await this.#services.harness.asOwner<{ state: string; counted: number }>(
      `select state, coalesce((progress #>> '{0,evidence,candidate,sessions}')::int, 0)
         + coalesce((progress #>> '{0,evidence,live,sessions}')::int, 0) as counted
       from agents.agent_releases where release_id = $1`,
      [releaseId],
    );
    return row!;
  }

  /** Ends the release, and drops what it has compared, so that the next one has a small database. */
  async #end(release: ReleaseRow): Promise<void> {
    await withTenant(this.#database, [release.tenantId], (tx) =>
      endRelease(tx, release, { state: 'withdrawn', share: 0, reason: null }),
    );
    await this.#services.harness.asOwner('truncate agents.turns, agents.release_sessions cascade');
  }
}

const silent = { warn: () => undefined, info: () => undefined } as never;
const silentOutbox = { emit: async () => undefined } as never;
