import { expect, test } from 'vitest';
import { contentWords, saidIn } from '../../../../src/platforms/whatsapp/domain/content-words.ts';
import { messageOf } from '../../../../src/platforms/whatsapp/domain/outgoing.ts';
import { withChoices } from '../../../../src/platforms/whatsapp/domain/with-choices.ts';

const choices = ['Yes', 'No'];

test('a long text goes first, and its last paragraphs have the choices', () => {
  const paragraphs = Array.from({ length: 12 }, (_, index) => `${index} ${'word '.repeat(60).trim()}`);
  const [head, end, ...others] = withChoices([{ text: paragraphs.join('\n\n') }], choices);
  expect(others).toEqual([]);
  expect(head!.choices).toBeUndefined();
  expect(end!.text.length).toBeLessThanOrEqual(1024);
  expect(`${head!.text}\n\n${end!.text}`).toBe(paragraphs.join('\n\n'));
  expect(end!.choices).toEqual(choices);
});

test.each([
  ['without any break', '👍'.repeat(2000)],
  ['of lines', 'line of a poem\n'.repeat(200).trim()],
  ['that is code', `\`\`\`\n${'let x = 1;\n'.repeat(200)}\`\`\``],
])('a text %s is cut without losing anything, and the end fits', (_name, text) => {
  const parts = withChoices([{ text }], choices);
  const bare = (written: string) => written.replaceAll('```', '').replaceAll(/\s/g, '');
  expect(bare(parts.map((part) => part.text).join(''))).toBe(bare(text));
  expect(parts.at(-1)!.text.length).toBeLessThanOrEqual(1024);
  expect(parts.every((part) => part.text.isWellFormed() && part.text.length <= 4096)).toBe(true);
  expect(parts.every((part) => part.text.split('```').length % 2 === 1)).toBe(true);
});

test('the press of a row whose title was cut counts as its whole text', () => {
  const choice = 'I would rather speak with a person today';
  const { interactive } = messageOf({ text: 'How?', choices: ['Yes', choice] }) as {
    interactive: { type: string; action: { sections: { rows: { title: string }[] }[] } };
  };
  const [, row] = interactive.action.sections[0]!.rows;
  expect(interactive.type).toBe('list');
  expect(row!.title.length).toBeLessThanOrEqual(24);
  const pressed = (list_reply: object) =>
    saidIn('interactive', { interactive: { type: 'list_reply', list_reply } });
  expect(pressed(row!)).toBe(choice);
  expect(pressed({ id: 'x', title: 'Other', description: 'of another bot' })).toBe('Other');
  expect(contentWords('interactive', { interactive: { list_reply: row } })).toBeUndefined();
});
