/** Text of whomever as lines that are marked: nothing in it can end what is marked. */
export const marked = (text: string): string =>
  text
    .split(lineEnd)
    .map((line) => `> ${line}`)
    .join('\n');

/** Everything that any reader may take for the end of a line: text after one would stand outside of the quotation. */
const lineEnd = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
