/** Untrusted text with every line marked, so that nothing in it can end the quotation. */
export const marked = (text: string): string =>
  text
    .split(lineEnd)
    .map((line) => `> ${line}`)
    .join('\n');

/** Everything that a reader may take for a line end: otherwise the text after it would be outside the quotation. */
const lineEnd = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
