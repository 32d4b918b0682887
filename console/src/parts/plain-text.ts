const fence = /^[ \t]*(?:```|~~~).*$/gm;
const lineBeginning = /^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+/gm;
const ruleOrTableLine = /^[ \t]*[-|:*_ \t]{3,}$/gm;
const tableRow = /^[ \t]*\|.*$/gm;
const link = /!?\[([^\][\n]{1,300})\]\([^()\s]{1,2000}\)/g;
const strong = /(\*\*|__|~~|`)(?=\S)([^*_~`\n]+)\1/g;
const emphasis = /(?<![\w*])\*(?=\S)([^*\n]+)\*(?![\w*])/g;
const quietEmphasis = /(?<![\w_])_(?=\S)([^_\n]+)_(?![\w_])/g;

/**
 * The words of a bot's text in one line, without the usual signs of Markdown. It is made for lists and for the moment
 * before the parser is loaded, so it knows no nesting.
 */
export const plainOf = (text: string): string =>
  text
    .replace(fence, '')
    .replace(ruleOrTableLine, '')
    .replace(tableRow, (row) => row.replaceAll('|', ' '))
    .replace(lineBeginning, '')
    .replace(link, '$1')
    .replace(emphasis, '$1')
    .replace(quietEmphasis, '$1')
    .replace(strong, '$2')
    .replace(emphasis, '$1')
    .replace(/\s+/g, ' ')
    .trim();
