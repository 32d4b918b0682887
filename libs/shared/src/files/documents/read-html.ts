import { Parser } from 'htmlparser2';
import { Outline, type Section } from './sections.ts';

/** Elements whose text a browser doesn't show. */
const unseen = new Set(
  'script style template noscript title svg math iframe object canvas audio video datalist'.split(' '),
);
/** Elements that begin a new line. */
const blocks = new Set(
  (
    'address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer form header hr li main ' +
    'nav ol p pre section summary table tbody tfoot thead tr ul'
  ).split(' '),
);
const isHeading = (name: string): boolean => /^h[1-6]$/.test(name);

/**
 * No real page is nested this deeply. The parser's time grows quadratically with depth, so deeper parts are not read.
 */
const maxDepth = 1000;

/**
 * The readable text of an HTML page, by headings. No scripts run and nothing is loaded. Nested elements are walked
 * without recursion.
 */
export function readHtml(html: string): Section[] {
  const outline = new Outline();
  let depth = 0;
  let unseenDepth = 0;
  let preDepth = 0;
  let title: string[] | undefined;
  const add = (text: string) => (title ? title.push(text) : outline.add(text));
  const goDeeper = () => {
    depth += 1;
    if (depth > maxDepth) parser.pause();
  };
  const parser = new Parser({
    onopentagname: (name) => {
      goDeeper();
      if (unseenDepth > 0 || unseen.has(name)) unseenDepth += 1;
      if (unseenDepth > 0) return;
      if (isHeading(name)) title = [];
      if (name === 'pre') preDepth += 1;
      if (blocks.has(name)) add(name === 'p' || name === 'table' ? '\n\n' : '\n');
      if (name === 'li') add('- ');
      if (name === 'td' || name === 'th') add('\t');
    },
    ontext: (text) => {
      if (unseenDepth === 0) add(preDepth > 0 ? text : text.replace(/[^\S ]\s*| \s+/g, ' '));
    },
    onclosetag: (name) => {
      depth -= 1;
      if (unseenDepth > 0) {
        unseenDepth -= 1;
        return;
      }
      if (isHeading(name) && title) {
        const heading = title.join('');
        title = undefined;
        outline.open(Number(name[1]), heading);
      }
      if (name === 'pre') preDepth -= 1;
      if (blocks.has(name)) add(name === 'p' || name === 'table' ? '\n\n' : '\n');
    },
  });
  parser.end(html);
  if (title) outline.add(title.join(''));
  return outline.end().map(({ heading, text }) => ({ heading, text: tidy(text) }));
}

/** At most one empty line in a row, and no space at the ends of lines. */
const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd().replace(/^ (?=\S)/, ''))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
