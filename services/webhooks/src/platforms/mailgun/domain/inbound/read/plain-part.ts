/** The words of programs in the plain part of a mail that is only HTML. */
const stub = new RegExp(
  [
    'html[- ](?:capable|compatible|enabled|compliant|e-?mail|format|version)|(?:support|display|show|view|read|enable)s? html',
    'view (?:this|the) (?:e-?mail|message|newsletter)|in (?:your|a|the) (?:web )?browser|multi-?part message in mime',
    'html-?(?:e-?mail|fähig|format|darstellung)|e-?mail-programm|im browser (?:an|öffnen)',
    'format html|au format html|dans (?:votre|le) navigateur|en formato html|en (?:su|el|tu) navegador|nel browser',
    'no navegador|in (?:uw|je) browser|i (?:din )?webbläsare|w przeglądarce|в браузере|формате html|html形式|html格式|浏览器|ブラウザ',
  ].join('|'),
  'iu',
);
const maxUnitsOfStub = 500;
const maxUnits = 60_000;
/** Scripts without blanks are counted by the character. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

const wordsOf = (text: string): string[] => text.slice(0, maxUnits).toLowerCase().match(word) ?? [];

/**
 * Whether a mail's plain part is what a person sees of its HTML. It isn't if it has under a tenth of the words of the
 * HTML, or none of them, or only says that the mail is HTML.
 */
export function isPlainPartOf(plain: string, html: string): boolean {
  const ofPlain = wordsOf(plain);
  const ofHtml = wordsOf(html);
  if (ofHtml.length === 0) return ofPlain.length > 0;
  if (ofPlain.length * 10 < ofHtml.length) return false;
  const seen = new Set(ofHtml);
  const shared = ofPlain.filter((one) => seen.has(one)).length;
  if (shared === 0) return false;
  const isStub = plain.trim().length <= maxUnitsOfStub && stub.test(plain);
  return !isStub || shared * 2 > ofPlain.length;
}
