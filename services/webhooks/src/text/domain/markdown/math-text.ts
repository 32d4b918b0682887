import { mathSymbols, subscripts, superscripts } from './math-symbols.ts';

/** Deeper formulas lose only their structure. */
const maxDepth = 20;

interface MathPlace {
  /** Between single dollar signs, which are also prices and names of variables. */
  isDollar: boolean;
  /** The unit after the closing sign. */
  next: string | undefined;
}

/** Whether the text between two signs is a formula, and not words in parentheses or the text between two prices. */
export function isMath(source: string, { isDollar, next = '' }: MathPlace): boolean {
  if (/\n[ \t]*\n/.test(source)) return false;
  if (isDollar && (/^\s|\s$|\n/.test(source) || /[\p{L}\p{N}]/u.test(next))) return false;
  if (isDollar && /^\d[\d.,]*\s/.test(source) && !source.includes('\\')) return false;
  const isTiny = /^[A-Za-z][A-Za-z0-9]?['′]?$/.test(source.trim());
  return isTiny || /[\\^_]/.test(source) || (/[=<>+*/|]/.test(source) && !/[A-Za-z]{3}/.test(source));
}

/** A formula of LaTeX in plain characters, such as `x² ≤ 1/2`. Commands that aren't known lose their backslash. */
export function mathText(source: string): string {
  const reader = new MathReader(source);
  return reader
    .read(0)
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

class MathReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads up to the end, or up to the brace that closes a group. */
  read(depth: number): string {
    let text = '';
    while (this.#at < this.#source.length) {
      const unit = this.#source[this.#at]!;
      if (unit === '}' && depth > 0) break;
      text += this.#readOne(depth, text);
    }
    return text;
  }

  #readOne(depth: number, before: string): string {
    const unit = this.#source[this.#at]!;
    this.#at += 1;
    if (unit === '{') return this.#group(depth);
    if (unit === '}') return '';
    if (unit === '^') return raised(this.#argument(depth), superscripts, '^');
    if (unit === '_') return raised(this.#argument(depth), subscripts, '_');
    if (unit === '&' || unit === '~') return ' ';
    if (unit === '\\') return this.#command(depth, before);
    return unit;
  }

  /** The content of a group whose opening brace was read. */
  #group(depth: number): string {
    if (depth >= maxDepth) return '';
    const text = this.read(depth + 1);
    this.#at += 1;
    return text;
  }

  /** A group, a command, or one character. */
  #argument(depth: number): string {
    while (this.#source[this.#at] === ' ') this.#at += 1;
    return this.#at < this.#source.length ? this.#readOne(depth, '') : '';
  }

  #command(depth: number, before: string): string {
    const name = /^[A-Za-z]+/.exec(this.#source.slice(this.#at, this.#at + 30))?.[0];
    if (name === undefined) {
      const unit = this.#source[this.#at] ?? '';
      this.#at += 1;
      if (unit === '\\') return '\n';
      return /[,;:! ]/.test(unit) ? ' ' : unit;
    }
    this.#at += name.length;
    if (name === 'frac' || name === 'dfrac' || name === 'tfrac')
      return `${grouped(this.#argument(depth))}/${grouped(this.#argument(depth))}`;
    if (name === 'sqrt') return this.#root(depth);
    if (name === 'begin' || name === 'end') {
      this.#argument(depth);
      // The columns of an array.
      if (name === 'begin' && this.#source[this.#at] === '{') this.#argument(depth);
      return '';
    }
    const symbol = mathSymbols[name];
    if (symbol !== undefined) return symbol;
    // A name such as `sin` is a word of its own.
    return this.#source[this.#at] === '{' || /[\s(]$|^$/.test(before) ? name : ` ${name}`;
  }

  #root(depth: number): string {
    const degree = /^\[([^\]]{1,10})\]/.exec(this.#source.slice(this.#at, this.#at + 12));
    this.#at += degree?.[0].length ?? 0;
    const sign = degree ? `${raised(degree[1]!, superscripts, '')}√` : '√';
    return sign + grouped(this.#argument(depth));
  }
}

/** A text in small characters if there is one for each of its characters, and otherwise after the sign. */
export function raised(text: string, small: Readonly<Record<string, string>>, sign: string): string {
  const units = [...text.trim()];
  if (units.length > 0 && units.every((unit) => small[unit] !== undefined))
    return units.map((unit) => small[unit]).join('');
  return units.length > 1 && sign !== '' ? `${sign}(${text.trim()})` : sign + text.trim();
}

const grouped = (text: string): string =>
  /^[\p{L}\p{N}.²³]*$/u.test(text.trim()) ? text.trim() : `(${text.trim()})`;
