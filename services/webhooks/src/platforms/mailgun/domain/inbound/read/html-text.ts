import { Parser } from 'htmlparser2';

const unseen = new Set(
  'script style template noscript title svg math iframe object head audio video datalist select'.split(' '),
);
const blocks = new Set(
  'address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);
/** The parser scans all open elements at each end tag. No real mail is nested this deeply. */
const maxDepth = 500;
const maxQuoteDepth = 10;

/** The limit on a mail's HTML that is read, in UTF-16 units. */
const maxHtmlUnits = 1_000_000;

/**
 * The readable text of an HTML mail, in lines. Quoted lines begin with `>`, as in plain text. Nothing in it is run or
 * loaded. It takes linear time, but a megabyte would block the main loop for too long: see `TextWorker`.
 */
export function textOfHtml(html: string): string {
  const page = new Lines();
  let depth = 0;
  let unseenDepth = 0;
  const parser = new Parser({
    onopentagname: (name) => {
      depth += 1;
      if (depth > maxDepth) parser.pause();
      if (unseenDepth > 0 || unseen.has(name)) unseenDepth += 1;
      else page.open(name);
    },
    ontext: (text) => {
      if (unseenDepth === 0) page.add(text);
    },
    onclosetag: (name) => {
      depth -= 1;
      if (unseenDepth > 0) unseenDepth -= 1;
      else page.close(name);
    },
  });
  parser.end(html.slice(0, maxHtmlUnits));
  return page.end();
}

class Lines {
  readonly #lines: string[] = [];
  #line: string[] = [];
  #isWritten = false;
  #quoteDepth = 0;

  open(name: string): void {
    if (name === 'br') this.#endLine();
    if (blocks.has(name)) this.#endWritten();
    if (name === 'p' || name === 'hr') this.#leaveBlank();
    if (name === 'li') this.add('- ');
    if (name === 'td' || name === 'th') this.add(' ');
    if (name === 'blockquote') this.#quoteDepth += 1;
  }

  close(name: string): void {
    if (blocks.has(name)) this.#endWritten();
    if (name === 'p') this.#leaveBlank();
    if (name === 'blockquote') this.#quoteDepth -= 1;
  }

  /** White space is collapsed, so that no line is longer than its readable text. */
  add(text: string): void {
    const isBlank = !/\S/.test(text);
    if (isBlank && this.#line.at(-1) === ' ') return;
    this.#line.push(isBlank ? ' ' : text.replace(/\s+/g, ' '));
    this.#isWritten ||= !isBlank;
  }

  end(): string {
    this.#endWritten();
    return this.#lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
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
