import { expect, test } from 'vitest';
import { ThoughtStream } from '../../../src/models/clients/thought-stream.ts';
import { withoutThoughts } from '../../../src/models/clients/thoughts.ts';
import { answers, unchanged } from './thought-samples.ts';

/** The parts that are passed on of a text that arrives in chunks of so many characters. */
function streamed(text: string, size: number, { holdsBeginning = true } = {}): string[] {
  const passed: string[] = [];
  const stream = new ThoughtStream({ onText: (part) => void passed.push(part), holdsBeginning });
  for (let place = 0; place < text.length; place += size) stream.push(text.slice(place, place + size));
  stream.end(withoutThoughts(text).text);
  return passed;
}

const sizes = [1, 2, 3, 7, 1000];

test.each(answers)(
  'a stream of a model that marks thoughts like %s has the answer alone',
  (_, sent, said) => {
    for (const size of sizes) expect(streamed(sent, size).join('')).toBe(said);
  },
);

test.each(unchanged)('a stream that only talks about thoughts is complete: %s', (text) => {
  for (const size of sizes)
    for (const holdsBeginning of [true, false])
      expect(streamed(text, size, { holdsBeginning }).join('')).toBe(text);
});

test('a model whose answers begin at once is passed on as it arrives', () => {
  expect(streamed('one two three', 4, { holdsBeginning: false })).toEqual(['one ', 'two ', 'thre', 'e']);
});

test('thoughts with a mark are left out of a stream that is passed on as it arrives', () => {
  const sent = '<think>The limit is 50.</think>Hello, Anna! <think>more</think>Bye.';
  for (const size of sizes)
    expect(streamed(sent, size, { holdsBeginning: false }).join('')).toBe('Hello, Anna! Bye.');
});

test('the beginning waits for the end of thoughts, and what follows does not', () => {
  const passed: string[] = [];
  const stream = new ThoughtStream({ onText: (part) => void passed.push(part), holdsBeginning: true });
  stream.push('The limit is 50.\n</thi');
  expect(passed).toEqual([]);
  stream.push('nk>\n\nHello');
  stream.push(', Anna');
  expect(passed).toEqual(['Hello', ', Anna']);
});

test('a long stream is passed on in linear time', () => {
  for (const part of ['`a ', '<think>x</think>', '< ', '[', '```\n', 'words ', '<thin', '</think>']) {
    const began = performance.now();
    streamed(part.repeat(Math.ceil(100_000 / part.length)), 5);
    expect(performance.now() - began, part).toBeLessThan(3000);
  }
});
