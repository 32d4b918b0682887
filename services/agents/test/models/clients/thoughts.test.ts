import { describe, expect, test } from 'vitest';
import { withoutThoughts } from '../../../src/models/clients/thoughts.ts';
import { answers, unchanged } from './thought-samples.ts';

describe('the text of an answer', () => {
  test.each(answers)('does not contain the thoughts of a model that marks them like %s', (_, sent, said) => {
    const { text, thoughtUnits } = withoutThoughts(sent);
    expect(text).toBe(said);
    expect(thoughtUnits).toBeGreaterThan(0);
  });

  test.each(unchanged)('stays as it is if it only talks about thoughts: %s', (text) => {
    expect(withoutThoughts(text)).toEqual({ text, thoughtUnits: 0, beginsWithThoughts: false });
  });

  test('that was cut before its unmarked thoughts ended is empty, for a model that is known to think', () => {
    const cut = 'The user wants a refund. The limit';
    expect(withoutThoughts(cut, { mustThink: true })).toMatchObject({ text: '', beginsWithThoughts: true });
    expect(withoutThoughts(cut).text).toBe(cut);
  });

  test('of any length is read in linear time', () => {
    const parts = [
      ...['`a', '<think>', '</think>', 'a <think> b ', '```\n<think>\n', '<', '[THINK', '\n```', '<think '],
      ...['<|channel|>analysis', '◁', '``` `` ` ', ' <think>x</think>', '<answer>', '~~~\n</think>\n'],
    ];
    for (const part of parts) {
      const text = part.repeat(Math.ceil(400_000 / part.length));
      const began = performance.now();
      withoutThoughts(text);
      expect(performance.now() - began, part).toBeLessThan(3000);
    }
  });
});
