import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { FakeTools } from '@botyard/testing/fake/fake-tools';
import type { FakeModel, ModelReply, ModelRequest } from '@botyard/testing/fake-model';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { Chat, type TestBot } from '../../../services/agents/test/agents-services.ts';
import { isAboutApproval, lastText } from '../../../services/agents/test/integrations-fixture.ts';

/** Every so many people ask for something that needs an approval. */
const asksEvery = 10;

/** The model calls the tool for whoever asks for a mail, and answers everything else. */
export const replyOf =
  (tool: string) =>
  (request: ModelRequest): ModelReply => {
    const text = lastText(request);
    if (isAboutApproval(request) || request.messages.at(-1)?.role === 'tool') return 'done';
    const [, address] = /^mail (\S+)$/.exec(text) ?? [];
    return address === undefined ? 'yes' : { toolCalls: [{ name: tool, arguments: { to: address } }] };
  };

export interface Fakes {
  model: FakeModel;
  tools: FakeTools;
}

/** The counts of a release that everything must agree with. */
export interface ReleaseVerdict {
  sessions: number;
  /** Sessions that the candidate began. */
  candidate: number;
  /** Sessions with answers of two versions. */
  changed: number;
  /** Those in which the candidate answered after the live version, or that changed before the withdrawal. */
  mixed: number;
  approvals: number;
  /** Approved calls that were made. The outcome of one whose process was killed meanwhile is unknown. */
  made: number;
  /** Those that were made more than once. */
  madeTwice: number;
  messages: number;
  /** Messages of people that belong to more than one turn. */
  answeredTwice: number;
  answers: number;
  /** The answers that the usage counts. */
  counted: number;
}

/** Many people who write to one bot, whose messages come from the bus like those of the webhooks service. */
export class ReleasedChats {
  readonly #harness: ServiceHarness;
  readonly #chats: readonly Chat[];
  #sent = 0;

  constructor(harness: ServiceHarness, bot: TestBot, count: number) {
    this.#harness = harness;
    this.#chats = Array.from({ length: count }, () => new Chat({ harness }, bot));
  }

  /** A message of each person, and no more than so many without an answer at a time. */
  async wave(wave: number, { atOnce }: { atOnce: number }): Promise<void> {
    for (const [index, chat] of this.#chats.entries()) {
      const asks = wave === 1 && index % asksEvery === 0;
      await this.#harness.publish(
        messageReceived,
        chat.message(asks ? `mail p${index}@example.com` : `message ${wave}`, {
          sender: { platformUserId: `p${index}`, name: `Person ${index}` },
        }),
      );
      this.#sent += 1;
      if (this.#sent % atOnce === 0) await this.#untilWaiting(atOnce);
    }
  }

  /** Resolves when every message that was sent has been answered. */
  answered(): Promise<void> {
    return this.#untilWaiting(0);
  }

  async #untilWaiting(most: number): Promise<void> {
    await this.#eventually('the messages are answered', async () => {
      const { answered } = await this.#answers();
      return this.#sent - answered <= most;
    });
  }

  /** The messages of people that have an answer, without the notices about approved calls. */
  async #answers(): Promise<{ answered: number; again: number; answers: number }> {
    const [row] = await this.#harness.asOwner<{ answered: number; again: number; answers: number }>(
      `with answered as (
         select unnest(message_ids) as message_id
         from agents.turns
       ), said as (
         select message_id
         from answered
         where message_id not in (select notice_id from agents.tool_tickets where notice_id is not null)
       )
       select count(distinct message_id)::int as answered,
         (count(*) - count(distinct message_id))::int as again,
         (select count(*)::int from agents.turns where outcome = 'answered') as answers
       from said`,
    );
    return row!;
  }

  /** Approves what waits for it, until nothing does. `approve` may fail while a process is away. */
  async approveAll(approve: (ticketId: string) => Promise<boolean>): Promise<void> {
    await this.#eventually('every call has ended', async () => {
      const open = await this.#harness.asOwner<{ ticket_id: string; status: string }>(
        `select ticket_id, status from agents.tool_tickets where status in ('pending', 'approved', 'executing')`,
      );
      const pending = open.filter(({ status }) => status === 'pending');
      await Promise.all(pending.map(({ ticket_id: ticketId }) => approve(ticketId)));
      return open.length === 0;
    });
  }

  async verdict({ tools }: Pick<Fakes, 'tools'>, releaseId: string): Promise<ReleaseVerdict> {
    await this.answered();
    const { again, answers } = await this.#answers();
    await this.#eventually('every answer is counted', async () => (await this.#counted()) >= answers);
    const [sessions] = await this.#harness.asOwner<
      Pick<ReleaseVerdict, 'sessions' | 'candidate' | 'changed' | 'mixed'>
    >(
      `with answer as (
         select session_id, agent_version, created_at as answered_at,
           lag(agent_version) over (partition by session_id order by turn_id) as before
         from agents.turns
         where agent_version is not null
       ), session as (
         select session_id, bool_or(before <> agent_version) as is_changed,
           bool_or(before <> agent_version and (agent_version = 1 or answered_at < ended_at)) as is_mixed
         from answer, agents.agent_releases
         where release_id = $1
         group by session_id
       )
       select count(*)::int as sessions,
         count(*) filter (where is_changed)::int as changed,
         count(*) filter (where is_mixed)::int as mixed,
         (select count(*)::int from agents.release_sessions where release_id = $1 and is_candidate) as candidate
       from session`,
      [releaseId],
    );
    const calls = tools.executions.all.map((execution) => JSON.stringify(execution.arguments));
    const [tickets] = await this.#harness.asOwner<{ approvals: number }>(
      'select count(*)::int as approvals from agents.tool_tickets where decided_at is not null',
    );
    return {
      ...sessions!,
      approvals: tickets!.approvals,
      made: new Set(calls).size,
      madeTwice: calls.length - new Set(calls).size,
      messages: this.#sent,
      answeredTwice: again,
      answers,
      counted: await this.#counted(),
    };
  }

  async #counted(): Promise<number> {
    const [row] = await this.#harness.asOwner<{ counted: number }>(
      'select coalesce(sum(messages), 0)::int as counted from usage.counters',
    );
    return row!.counted;
  }

  /** Like `eventually`, through the times when the database is away. */
  async #eventually(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const isTrueNow = () => isTrue().catch(() => false);
    await eventually(what, isTrueNow, { timeoutMs: 600_000, everyMs: 250 }).catch(async (error: Error) => {
      const states = await this.#harness.asOwner(
        `select status, last_error, count(*)::int as messages
         from agents.messages where direction = 'in' group by status, last_error`,
      );
      throw new Error(`${error.message}; of ${this.#sent} messages ${JSON.stringify(states)}`);
    });
  }
}
