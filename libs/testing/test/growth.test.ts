import { expect, test } from 'vitest';
import { maxGrowth, measureGrowth } from '../src/growth.ts';

const make = (size: number) => 'x'.repeat(size);

test('a linear reader is distinguished from a quadratic one', async () => {
  const linear = (text: string) => {
    let sum = 0;
    for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at);
    return sum;
  };
  const quadratic = (text: string) => {
    let sum = 0;
    for (let at = 0; at < text.length; at += 1) sum += linear(text);
    return sum;
  };
  expect((await measureGrowth({ make, read: linear, size: 200_000 })).perByte).toBeLessThan(maxGrowth);
  expect((await measureGrowth({ make, read: quadratic, size: 1000 })).perByte).toBeGreaterThan(5);
});
