const blocks = new Set(
  'address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);
const maxQuoteDepth = 10;

/** The lines of a page, as a person reads them. Quoted lines begin with `>`, as in plain text. */
export class Lines {
  readonly #lines: string[] = [];
  #line: string[] = [];
  #isWritten = false;
  #quoteDepth = 0;
  /** The next numbers of the open lists; `null` for one without numbers. */
  readonly #lists: (number | null)[] = [];

  open(name: string): void {
    if (name === 'br') this.#endLine();
    if (blocks.has(name)) this.#endWritten();
    if (name === 'p' || name === 'hr') this.#leaveBlank();
    if (name === 'ul') this.#lists.push(null);
    if (name === 'ol') this.#lists.push(1);
    if (name === 'li') this.add(this.#nextMark());
    if (name === 'td' || name === 'th') this.add(' ');
    if (name === 'blockquote') this.#quoteDepth += 1;
  }

  close(name: string): void {
    if (blocks.has(name)) this.#endWritten();
    if (name === 'p') this.#leaveBlank();
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (name === 'blockquote') this.#quoteDepth -= 1;
  }

  /** White space is collapsed, so that no line is longer than its readable text. */
  add(text: string): void {
    const isBlank = !/\S/.test(text);
    if (isBlank && this.#line.at(-1) === ' ') return;
    this.#line.push(isBlank ? ' ' : text.replace(/\s+/g, ' '));
    this.#isWritten ||= !isBlank;
  }

  /** Text whose line ends count, as in `pre`. */
  addLines(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.add(first);
    for (const line of others) {
      this.#endLine();
      this.add(line);
    }
  }

  end(): string {
    this.#endWritten();
    return this.#lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  #nextMark(): string {
    const number = this.#lists.at(-1) ?? null;
    if (number === null) return '- ';
    this.#lists[this.#lists.length - 1] = number + 1;
    return `${number}. `;
  }

  #endWritten(): void {
    if (this.#isWritten) this.#endLine();
  }

  #endLine(): void {
    const text = this.#line.join('').replace(/ {2,}/g, ' ').trim();
    this.#lines.push(`${'> '.repeat(Math.min(this.#quoteDepth, maxQuoteDepth))}${text}`.trimEnd());
    this.#line = [];
    this.#isWritten = false;
  }

  #leaveBlank(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }
}
