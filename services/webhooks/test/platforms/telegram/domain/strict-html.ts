const token =
  /<(?<plain>b|i|s|pre|code|blockquote)>|<a href="(?<href>[^"<>]*)">|<code class="language-(?<language>[\w+#.-]{1,32})">|<\/(?<end>b|i|s|a|pre|code|blockquote)>|&(?<character>amp|lt|gt|quot);|(?<text>[^<>&"]+)/y;
const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** A message as the platform would display it. */
export type ShownHtml = { text: string; entities: number; hrefs: string[] };

/**
 * Reads a message's HTML as the platform does, and throws where its parser, or its rules on nesting, would refuse it.
 */
export function parseStrictHtml(html: string): ShownHtml {
  const shown: ShownHtml = { text: '', entities: 0, hrefs: [] };
  const stack: string[] = [];
  let position = 0;
  while (position < html.length) {
    token.lastIndex = position;
    const groups = token.exec(html)?.groups;
    if (!groups) throw new Error(`unexpected ${html.slice(position, position + 20)}`);
    position = token.lastIndex;
    shown.text += groups.text ?? characters[groups.character ?? ''] ?? '';
    if (groups.end) closeTag(groups.end, stack);
    else if (!groups.text && !groups.character) openTag(groups, stack, shown);
  }
  if (stack.length > 0) throw new Error(`unclosed ${stack}`);
  return shown;
}

function closeTag(tag: string, stack: string[]): void {
  if (stack.pop() !== tag) throw new Error(`unmatched </${tag}>`);
}

function openTag(groups: Record<string, string | undefined>, stack: string[], shown: ShownHtml): void {
  const tag = groups.plain ?? (groups.href === undefined ? 'code' : 'a');
  if (groups.href !== undefined) shown.hrefs.push(decode(groups.href));
  // The two tags of a code block with a language are one entity.
  if (groups.language === undefined) {
    assertMayOpen(tag, stack);
    shown.entities += 1;
  } else if (stack.at(-1) !== 'pre') throw new Error('a language outside of pre');
  stack.push(tag);
}

function assertMayOpen(tag: string, stack: readonly string[]): void {
  if (stack.includes('code') || stack.includes('pre')) throw new Error(`${tag} inside code`);
  if (stack.includes(tag)) throw new Error(`${tag} inside ${tag}`);
  if (tag === 'blockquote' && stack.length > 0) throw new Error('a quote inside another entity');
  const isCode = tag === 'pre' || tag === 'code';
  if (isCode && stack.some((outer) => outer !== 'blockquote'))
    throw new Error(`${tag} inside ${stack.at(-1)}`);
}

function decode(escaped: string): string {
  return escaped.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => characters[name] ?? '');
}
