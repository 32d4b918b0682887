import { isLoud } from '../log/writing-together.ts';

/** A process's recent log lines as they were written, with the same redaction. */
export class LogRing {
  readonly #rings: Readonly<Record<'loud' | 'other', Ring>>;

  /** Warnings and errors have separate room, so that closing lines of a busy process don't displace them. */
  constructor({ lines = 2000, loudLines = 500 }: { lines?: number; loudLines?: number } = {}) {
    this.#rings = { other: new Ring(lines), loud: new Ring(loudLines) };
  }

  add(line: string): void {
    this.#rings[isLoud(line) ? 'loud' : 'other'].add(line);
  }

  /** In no particular order; each line has its timestamp. */
  *lines(): Generator<string> {
    yield* this.#rings.loud.lines();
    yield* this.#rings.other.lines();
  }
}

/** Longer lines are not kept: a truncated line would not be JSON. */
const longestLine = 16 * 1024;

class Ring {
  readonly #most: number;
  readonly #lines: string[] = [];
  #next = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(line: string): void {
    if (line.length > longestLine) return;
    this.#lines[this.#next] = line;
    this.#next = (this.#next + 1) % this.#most;
  }

  lines(): Iterable<string> {
    return this.#lines.values();
  }
}
