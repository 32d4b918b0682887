const partsOf = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The words between commas, without empty ones. */
export const wordsOf = (text = ''): string[] => partsOf(text, ',');

/** The lines of a text, without empty ones. */
export const linesOf = (text = ''): string[] => partsOf(text, '\n');
