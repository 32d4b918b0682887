import { TaskRefusal } from '../../work/thread-tasks.ts';

/** A part of a document with the headings above it. */
export interface Section {
  heading: string;
  text: string;
}

/** Why nothing can be read from a document, in words that its owner may see. A retry doesn't help. */
export class Unreadable extends TaskRefusal {
  override readonly name = 'Unreadable';
}

const maxUnitsOfTitle = 200;
const maxUnitsOfHeading = 300;

/** Collects a document's sections: the text under each heading, and the headings above that one. */
export class Outline {
  readonly #sections: Section[] = [];
  readonly #levels: { depth: number; title: string }[] = [];
  #parts: string[] = [];

  /** Begins the text under a heading; `depth` is 1 for the outermost. */
  open(depth: number, title: string): void {
    this.#close();
    while ((this.#levels.at(-1)?.depth ?? 0) >= depth) this.#levels.pop();
    const whole = title.replace(/\s+/g, ' ').trim();
    this.#levels.push({ depth, title: whole.slice(0, maxUnitsOfTitle).toWellFormed() });
    if (whole.length > maxUnitsOfTitle) this.add(`${whole}\n\n`);
  }

  add(text: string): void {
    this.#parts.push(text);
  }

  /** All sections in order. A heading without text is a section too. */
  end(): Section[] {
    this.#close();
    return this.#sections;
  }

  #close(): void {
    const text = this.#parts.join('');
    this.#parts = [];
    const titles = this.#levels.map(({ title }) => title).filter(Boolean);
    const heading = titles.join(' › ').slice(-maxUnitsOfHeading).toWellFormed();
    if (text.trim() !== '') this.#sections.push({ heading, text });
    else if (titles.length > 0) this.#sections.push({ heading, text: titles.at(-1)! });
  }
}
