const unseen = new Set(
  'script style template noscript title svg math iframe object head audio video datalist select'.split(' '),
);
const blocks = new Set(
  'address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);
/** The parser's time grows with the square of it, and no mail is nested like this. */
const mostDepth = 500;
const mostQuoteDepth = 10;
const mostUnits = 1_000_000;

/**
 * What a person reads of an HTML mail, as lines; what is quoted in it begins with `>`, as in plain text. Nothing of it is
 * run or loaded. The parser is loaded with the first one.
 */
export async function textOfHtml(html: string): Promise<string> {
  const { Parser } = await import('htmlparser2');
  const page = new Lines();
  let depth = 0;
  let unseenDepth = 0;
  const parser = new Parser({
    onopentagname: (name) => {
      depth += 1;
      if (depth > mostDepth) parser.pause();
      if (unseenDepth > 0 || unseen.has(name)) unseenDepth += 1;
      else page.open(name);
    },
    ontext: (text) => {
      if (unseenDepth === 0) page.add(text.replace(/\s+/g, ' '));
    },
    onclosetag: (name) => {
      depth -= 1;
      if (unseenDepth > 0) unseenDepth -= 1;
      else page.close(name);
    },
  });
  parser.end(html.slice(0, mostUnits));
  return page.end();
}

class Lines {
  readonly #lines: string[] = [];
  #line: string[] = [];
  #quoteDepth = 0;

  open(name: string): void {
    if (name === 'br') this.#endLine();
    if (blocks.has(name)) this.#endWritten();
    if (name === 'p') this.#leaveBlank();
    if (name === 'li') this.add('- ');
    if (name === 'td' || name === 'th') this.add(' ');
    if (name === 'blockquote') this.#quoteDepth += 1;
  }

  close(name: string): void {
    if (blocks.has(name)) this.#endWritten();
    if (name === 'p') this.#leaveBlank();
    if (name === 'blockquote') this.#quoteDepth -= 1;
  }

  add(text: string): void {
    this.#line.push(text);
  }

  end(): string {
    this.#endWritten();
    return this.#lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  #endWritten(): void {
    if (this.#line.some((text) => text.trim() !== '')) this.#endLine();
  }

  #endLine(): void {
    const text = this.#line.join('').replace(/ {2,}/g, ' ').trim();
    this.#lines.push(`${'> '.repeat(Math.min(this.#quoteDepth, mostQuoteDepth))}${text}`.trimEnd());
    this.#line = [];
  }

  #leaveBlank(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }
}
