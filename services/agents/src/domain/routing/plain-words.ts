const scriptsWithoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Text in one spelling: composed and folded forms, cases, invisible characters, and what stands between words are no difference. */
export function plainName(text: string): string {
  return fold(text)
    .replace(/[\s_-]+/gu, ' ')
    .trim();
}

/** Whether a phrase is said in a text, as whole words where its script has spaces between words. */
export function saysPhrase(text: string, phrase: string): boolean {
  const wanted = plainWords(phrase);
  if (wanted === '') return false;
  const said = plainWords(text);
  return scriptsWithoutSpaces.test(wanted) ? said.includes(wanted) : ` ${said} `.includes(` ${wanted} `);
}

const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Cf}/gu, '');

const plainWords = (text: string): string =>
  fold(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
