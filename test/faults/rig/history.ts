import { maxAttempts } from '@botyard/shared/bus/dead-letters';
import { eventually } from '@botyard/testing/eventually';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { speaking } from '@botyard/words/words';

/** The outcome of numbered messages, by which every proof of order and of crashes is judged. */
export interface Verdict {
  accepted: number;
  /** Accepted and never answered. */
  lost: number;
  /** Answers beyond the first one of a message. */
  duplicated: number;
  /** Answers of which the product says that they may have been sent twice. */
  uncertain: number;
  /** Answers that came twice without being marked as uncertain. */
  unmarked: number;
  /** Answers that came after one to a later message of their chat. */
  inverted: number;
  /** Answers without a message, and apologies without a reason. */
  strange: number;
}

/** The product's own records of the messages. */
export interface Records {
  /** Texts of answers that may have been sent twice, because their worker died or got no answer during the send. */
  uncertain?: readonly string[];
  /** Texts of the messages that were answered with an apology, because the model had failed. */
  apologized?: readonly string[];
  /** Texts of the answers that the platform did not take, or never confirmed. */
  givenUp?: readonly string[];
}

/** When nothing died in the middle of a send. */
export const faultless = { lost: 0, duplicated: 0, uncertain: 0, unmarked: 0, inverted: 0, strange: 0 };
/** The expectation after any crash: a duplicate is marked (P9), and nothing else is wrong. */
export const onlyMarkedDuplicates = { lost: 0, unmarked: 0, inverted: 0, strange: 0 };

/** Text of the n-th message of a chat, which its answer repeats. */
export const numbered = (chat: string, number: number): string => `[${chat}#${number}]`;
const mark = /\[([^#\]]+)#(\d+)\]/;
/** Said while an answer takes long: it answers nothing. */
const delayNotice = speaking('en')('delay');
const isApology = (text: string): boolean => !mark.test(text) && text !== delayNotice;

/** Records accepted messages and their answers, for each chat in order. */
export class History {
  readonly #accepted = new Map<string, Set<number>>();
  readonly #answered = new Map<string, number[]>();
  /** Accepted and not answered yet. */
  readonly #open = new Set<string>();
  /** How many answers came, repeated ones included. */
  answerCount = 0;
  /** Answers that repeat no message: apologies. */
  #plainCount = 0;
  /** Number of notices that an answer takes longer. */
  noticeCount = 0;

  /** When every accepted message is answered. */
  get isComplete(): boolean {
    return this.#open.size === 0;
  }

  /** How many accepted messages wait for their answer, or for an apology. */
  get waitingCount(): number {
    return Math.max(0, this.#open.size - this.#plainCount);
  }

  /** Some of those that wait. */
  get waiting(): string[] {
    return [...this.#open].slice(0, 20);
  }

  isWaiting(chat: string, number: number): boolean {
    return this.#open.has(numbered(chat, number));
  }

  accept(chat: string, number: number): void {
    this.#accepted.set(chat, (this.#accepted.get(chat) ?? new Set()).add(number));
    if (!this.#answered.get(chat)?.includes(number)) this.#open.add(numbered(chat, number));
  }

  answer(text: string): void {
    if (text === delayNotice) {
      this.noticeCount += 1;
      return;
    }
    this.answerCount += 1;
    const [key, chat, number] = mark.exec(text) ?? [];
    if (!key || !chat) {
      this.#plainCount += 1;
      return;
    }
    this.#open.delete(key);
    const numbers = this.#answered.get(chat);
    if (numbers) numbers.push(Number(number));
    else this.#answered.set(chat, [Number(number)]);
  }

  /** Accepted messages without an answer, an apology or a dead letter, or with an apology that is still being sent. */
  openBut({ apologized = [], givenUp = [] }: Records): string[] {
    const excused = new Set(apologized.map((text) => mark.exec(text)?.[0]));
    const failed = new Set(givenUp.map((text) => mark.exec(text)?.[0]));
    const open = [...this.#open].filter((key) => !excused.has(key) && !failed.has(key));
    const failedApologies = givenUp.filter(isApology).length;
    const missing = Math.max(0, excused.size - failedApologies - this.#plainCount);
    return [...open, ...Array.from({ length: missing }, () => 'an apology')];
  }

  /** Resolves when every accepted message is answered. */
  async completed({ timeoutMs = 240_000 }: { timeoutMs?: number } = {}): Promise<void> {
    await eventually('every message is answered', () => this.isComplete, { timeoutMs }).catch(
      (error: Error) => {
        throw new Error(
          `${error.message}: ${JSON.stringify(this.verdict())}, such as ${this.waiting.join(' ')}`,
        );
      },
    );
  }

  verdict(records: Records = {}): Verdict {
    const { uncertain = [], apologized = [] } = records;
    const verdict: Verdict = { accepted: 0, ...faultless, uncertain: uncertain.length };
    const isMarked = new Set(uncertain.map((text) => mark.exec(text)?.[0]));
    for (const [chat, accepted] of this.#accepted) {
      const answers = this.#answered.get(chat) ?? [];
      const first = [...new Set(answers)];
      const again = answers.filter((number, index) => answers.indexOf(number) < index);
      verdict.accepted += accepted.size;
      verdict.duplicated += again.length;
      verdict.unmarked += again.filter((number) => !isMarked.has(numbered(chat, number))).length;
      verdict.inverted += first.filter((number, index) => index > 0 && number < first[index - 1]!).length;
    }
    verdict.lost = this.openBut(records).length;
    const again = uncertain.filter(isApology).length;
    verdict.strange = Math.max(0, this.#plainCount - new Set(apologized).size - again);
    for (const [chat, answers] of this.#answered) {
      const accepted = this.#accepted.get(chat);
      verdict.strange += answers.filter((number) => !accepted?.has(number)).length;
    }
    return verdict;
  }
}

export async function recordsOf(harness: ServiceHarness): Promise<Required<Records>> {
  const texts = async (query: string) =>
    (await harness.asOwner<{ text: string }>(query)).map(({ text }) => text);
  const [uncertain, apologized, givenUp] = await Promise.all([
    texts('select plain as text from webhooks.parts where is_uncertain'),
    texts(`select text from agents.turns t join agents.messages m
             on m.tenant_id = t.tenant_id and m.message_id = any (t.message_ids) where outcome = 'apologized'`),
    texts(
      `select plain as text from webhooks.parts where state = 'failed' and (is_uncertain or attempts >= ${maxAttempts})`,
    ),
  ]);
  return { uncertain, apologized, givenUp };
}

/** The product's data about unanswered messages, for diagnosis. */
export async function describeUnanswered(
  harness: ServiceHarness,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await harness.asOwner(
    `select m.text, m.status, m.last_error, m.seq, c.next_seq, c.last_seq, c.ready_at, c.lease_until, c.failures,
       t.outcome, t.failure, t.created_at as answered_at, r.reply_seq, r.state as reply, p.state as part, p.attempts,
       p.is_uncertain, p.last_error as part_error, p.plain
     from agents.messages m join agents.conversations c using (tenant_id, conversation_id)
     left join agents.turns t on t.tenant_id = m.tenant_id and m.message_id = any (t.message_ids)
     left join webhooks.replies r on r.reply_id = t.reply_id left join webhooks.parts p on p.reply_id = r.reply_id
     where m.direction = 'in' and m.text = any ($1)`,
    [keys],
  );
  const missing = keys.filter((key) => !rows.some(({ text }) => text === key));
  return [...rows.map((row) => JSON.stringify(row)), ...missing.map((key) => `${key}: agents never had it`)];
}

/** Prints one line with the counts. */
export function printFigures(id: string, counts: object): void {
  const shown = Object.entries(counts).map(([name, value]) => `${name} ${String(value)}`);
  process.stdout.write(`${id}: ${shown.join(', ')}\n`);
}
