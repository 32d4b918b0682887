/** What became of numbered messages; every proof of order and of crashes is judged by it. */
export interface Verdict {
  accepted: number;
  /** Accepted and never answered. */
  lost: number;
  /** Answers beyond the first one of a message. */
  duplicated: number;
  /** Answers that came after one to a later message of their chat. */
  inverted: number;
  /** Answers to what nobody asked. */
  strange: number;
}

/** Text of the n-th message of a chat, which its answer repeats. */
export const numbered = (chat: string, number: number): string => `[${chat}#${number}]`;
const mark = /\[([^#\]]+)#(\d+)\]/;

/** Notes what was accepted and what was answered, each chat in the order in which it happened. */
export class History {
  readonly #accepted = new Map<string, Set<number>>();
  readonly #answered = new Map<string, number[]>();
  /** Accepted and not answered yet. */
  readonly #open = new Set<string>();
  /** How many answers came, repeated ones included. */
  answerCount = 0;

  /** When every accepted message is answered. */
  get isComplete(): boolean {
    return this.#open.size === 0;
  }

  /** How many accepted messages wait for their answer. */
  get waitingCount(): number {
    return this.#open.size;
  }

  accept(chat: string, number: number): void {
    this.#accepted.set(chat, (this.#accepted.get(chat) ?? new Set()).add(number));
    if (!this.#answered.get(chat)?.includes(number)) this.#open.add(numbered(chat, number));
  }

  answer(text: string): void {
    const [key = '', chat = '?', number = '0'] = mark.exec(text) ?? [];
    this.answerCount += 1;
    this.#open.delete(key);
    const known = this.#answered.get(chat);
    if (known) known.push(Number(number));
    else this.#answered.set(chat, [Number(number)]);
  }

  verdict(): Verdict {
    const found: Verdict = { accepted: 0, lost: 0, duplicated: 0, inverted: 0, strange: 0 };
    for (const [chat, accepted] of this.#accepted) {
      const answers = this.#answered.get(chat) ?? [];
      const first = [...new Set(answers)];
      found.accepted += accepted.size;
      found.lost += accepted.difference(new Set(first)).size;
      found.duplicated += answers.length - first.length;
      found.inverted += first.filter((number, index) => index > 0 && number < first[index - 1]!).length;
    }
    for (const [chat, answers] of this.#answered) {
      const accepted = this.#accepted.get(chat);
      found.strange += answers.filter((number) => !accepted?.has(number)).length;
    }
    return found;
  }
}

/** One line with the counts, for whoever reads the output. */
export function tell(id: string, counts: object): void {
  const shown = Object.entries(counts).map(([name, value]) => `${name} ${String(value)}`);
  process.stdout.write(`${id}: ${shown.join(', ')}\n`);
}
