import { Parser } from 'htmlparser2';
import { Lines } from './lines.ts';
import { addressOfLink, isAddressOf, wordsOfPicture } from './links.ts';
import type { StyledElement } from './selectors.ts';
import { readStyleSheets, TooComplex } from './style-sheet.ts';
import { isSeen, type Look, Looks, rootLook } from './visibility.ts';

/** An HTML mail as a person sees it. */
interface HtmlText {
  /** In lines. Quoted lines begin with `>`, as in plain text. */
  text: string;
  /** Links whose words aren't their address, in order. */
  links: { words: string; address: string }[];
}

const unseen = new Set(
  'script style template noscript title svg math iframe object head audio video datalist select'.split(' '),
);
const struck = new Set(['s', 'del', 'strike']);
/** The parser scans all open elements at each end tag. No real mail is nested this deeply. */
const maxDepth = 500;
const maxLinks = 500;
/** The limit on a mail's HTML that is read, in UTF-16 units. */
const maxHtmlUnits = 1_000_000;
const maxSheets = 100;
const maxClasses = 50;

/** Shown in place of HTML that can't be read within the limits. */
export const unreadableHtml = '[HTML that could not be read]';

/**
 * The readable text of an HTML mail, without what a person doesn't see: hidden words could instruct a model. Nothing in
 * it is run or loaded. It takes linear time, but a megabyte would block the main loop for too long: see `TextWorker`.
 */
export function readHtml(html: string): HtmlText {
  const read = html.slice(0, maxHtmlUnits);
  try {
    const page = new Page(new Looks(readStyleSheets(styleSheetsOf(read))));
    const parser = new Parser({
      onopentag: (name, attributes) => page.open(name, attributes),
      ontext: (text) => page.add(text),
      onclosetag: () => page.close(),
    });
    page.stop = () => parser.pause();
    parser.end(read);
    return page.end();
  } catch (error) {
    if (error instanceof TooComplex) return { text: unreadableHtml, links: [] };
    throw error;
  }
}

export const textOfHtml = (html: string): string => readHtml(html).text;

/** Style sheets apply to the whole mail, wherever they are in it. */
function styleSheetsOf(html: string): { css: string; media: string }[] {
  const sheets: { css: string; media: string }[] = [];
  if (!/<style/i.test(html)) return sheets;
  let isWithin = false;
  const parser = new Parser({
    onopentag: (name, { media = '' }) => {
      isWithin = name === 'style';
      if (isWithin) sheets.push({ css: '', media });
      if (sheets.length > maxSheets) throw new TooComplex('there are too many style sheets');
    },
    ontext: (text) => {
      if (isWithin) sheets.at(-1)!.css += text;
    },
    onclosetag: (name) => {
      if (name === 'style') isWithin = false;
    },
  });
  parser.end(html);
  return sheets;
}

interface OpenElement extends StyledElement {
  look: Look;
  isSeen: boolean;
  /** For a link: its address, and the words in it so far. */
  link: { address: string; words: string[] } | undefined;
}

class Page {
  readonly #looks: Looks;
  readonly #lines = new Lines();
  readonly #open: OpenElement[] = [];
  readonly #links: HtmlText['links'] = [];
  #link: OpenElement['link'];
  /** How many of the open elements are `pre`. */
  #preDepth = 0;
  /** Ends the reading. */
  stop: () => void = () => undefined;

  constructor(looks: Looks) {
    this.#looks = looks;
  }

  open(tag: string, attributes: Record<string, string>): void {
    if (this.#open.length >= maxDepth) {
      this.stop();
      return;
    }
    const classes = (attributes.class ?? '').split(/\s+/, maxClasses).filter((name) => name !== '');
    const element = { tag, id: attributes.id ?? '', classes, attributes };
    const outer = this.#open.at(-1)?.look ?? rootLook;
    const look = unseen.has(tag)
      ? { ...outer, isGone: true }
      : outer.isGone
        ? outer
        : this.#looks.of(element, this.#open, outer);
    const link = tag === 'a' ? linkOf(attributes.href) : undefined;
    const opened = { ...element, look, isSeen: isSeen(look), link };
    this.#open.push(opened);
    if (look.isGone) return;
    if (link) this.#link = link;
    if (tag === 'pre') this.#preDepth += 1;
    this.#lines.open(tag);
    if (struck.has(tag) && opened.isSeen) this.#lines.add('~~');
    if ((tag === 'img' || tag === 'area') && opened.isSeen) this.#say(wordsOfPicture(attributes));
  }

  add(text: string): void {
    const inside = this.#open.at(-1);
    if (inside && !inside.isSeen) return;
    if (this.#preDepth > 0) this.#lines.addLines(text);
    else this.#lines.add(text);
    this.#link?.words.push(text);
  }

  close(): void {
    const closed = this.#open.pop();
    if (!closed || closed.look.isGone) return;
    if (struck.has(closed.tag) && closed.isSeen) this.#lines.add('~~');
    if (closed.link) this.#endLink(closed.link);
    if (closed.tag === 'pre') this.#preDepth -= 1;
    this.#lines.close(closed.tag);
  }

  end(): HtmlText {
    return { text: this.#lines.end(), links: this.#links };
  }

  #say(words: string): void {
    if (words === '') return;
    this.#lines.add(words);
    this.#link?.words.push(words);
  }

  #endLink({ address, words: pieces }: NonNullable<OpenElement['link']>): void {
    this.#link = undefined;
    const words = pieces.join('').replace(/\s+/g, ' ').trim();
    if (words === '' || address === '' || isAddressOf(words, address)) return;
    this.#lines.add(` (${address})`);
    if (this.#links.length < maxLinks) this.#links.push({ words, address });
  }
}

const linkOf = (href: string | undefined): OpenElement['link'] =>
  href === undefined ? undefined : { address: addressOfLink(href), words: [] };
