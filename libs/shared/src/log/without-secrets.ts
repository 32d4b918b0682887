/** Each pattern looks at a character only a few times, for any text. */
const secretShapes = [
  /\bbot\d+:[\w-]+/g,
  /\b\d{5,}:[\w-]{30,}/g,
  /\b(?:sk|pk|whsec|key)[-_][\w-]{8,}/g,
  /\bBearer\s+[\w.~+/-]+=*/gi,
];

/** Redacts text that looks like a token, key or password, before it is stored or shown. Linear in its length. */
export function withoutSecrets(text: string): string {
  const clean = secretShapes.reduce((rest, shape) => rest.replace(shape, '[secret]'), text);
  return clean.replace(/[\w.-]+/g, withoutJwt).replace(/[^\s@]+@?/g, withoutPassword);
}

/** Redacts a JWT from its beginning in a word: `eyJ…`, with two dots after it. */
function withoutJwt(word: string): string {
  if (!word.includes('eyJ')) return word;
  const begin = /\beyJ[\w-]/.exec(word)?.index ?? word.length;
  return word.slice(begin).split('.', 3).length === 3 ? `${word.slice(0, begin)}[secret]` : word;
}

/** Redacts the scheme, name and password of an address such as `https://name:password@`. */
function withoutPassword(word: string): string {
  if (!word.endsWith('@')) return word;
  for (let at = word.indexOf('://'); at > 0; at = word.indexOf('://', at + 3)) {
    const name = /[^:/]*/y;
    name.lastIndex = at + 3;
    const end = at + 3 + (name.exec(word)?.[0].length ?? 0);
    const scheme = /\w*$/.exec(word.slice(Math.max(0, at - maxSchemeUnits), at))?.[0] ?? '';
    if (word[end] === ':' && end < word.length - 2 && scheme !== '')
      return `${word.slice(0, at - scheme.length)}[secret]`;
  }
  return word;
}

const maxSchemeUnits = 40;
