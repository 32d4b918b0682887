const everyMs = 5000;

/** Reports a part's progress every few seconds, and whether its time is over. */
export class Progress {
  readonly #name: string;
  readonly #deadline: number;
  readonly #write: (line: string) => void;
  #startedAt = performance.now();
  #saidAt = performance.now();
  #done = 0;
  #total = 0;
  #unit = '';

  constructor(name: string, options: { minutes: number; write: (line: string) => void }) {
    this.#name = name;
    this.#deadline = performance.now() + options.minutes * 60_000;
    this.#write = options.write;
  }

  say(line: string): void {
    this.#write(`${new Date().toISOString().slice(11, 19)} ${this.#name}: ${line}`);
  }

  begin(total: number, unit: string): void {
    this.#startedAt = performance.now();
    [this.#done, this.#total, this.#unit] = [0, total, unit];
  }

  add(count: number): void {
    this.#done += count;
    if (performance.now() - this.#saidAt < everyMs) return;
    this.#saidAt = performance.now();
    this.say(`${grouped(this.#done)} of ${grouped(this.#total)} ${this.#unit}, ${grouped(this.perSecond)}/s`);
  }

  get done(): number {
    return this.#done;
  }

  get perSecond(): number {
    return Math.round(this.#done / ((performance.now() - this.#startedAt) / 1000));
  }

  get isOver(): boolean {
    return this.#done >= this.#total || performance.now() > this.#deadline;
  }
}

export const grouped = (count: number): string => count.toLocaleString('en-US');
