/** The messages of a reply, with buttons under the last one. */
export const withChoices = <Part extends object>(
  parts: readonly Part[],
  choices: readonly string[],
): (Part & { choices?: readonly string[] })[] =>
  parts.map((part, index) =>
    choices.length > 0 && index === parts.length - 1 ? { ...part, choices } : part,
  );

/** A text with the choices as a list at its end, for platforms without buttons. */
export const listChoices = (markdown: string, choices: readonly string[]): string =>
  choices.length === 0
    ? markdown
    : `${markdown}\n\n${choices.map((choice) => `- ${choice.replace(signs, toEntity)}`).join('\n')}`;

/** Signs that format a text. A choice is shown as it is. */
const signs = /[\\`*_{}[\]()#+\-.!<>|~&$:@/]/g;

const toEntity = (sign: string): string => `&#${sign.charCodeAt(0)};`;
