import { describe, expect, test } from 'vitest';
import { TokenBudget, usualOutputTokens } from '../../../src/models/domain/token-budget.ts';

const used = (inputTokens: number, outputTokens = 0) => ({ inputTokens, outputTokens, isEstimated: false });

test('without tools it is one question and one answer', () => {
  const budget = new TokenBudget({ requestTokens: 1000, hasTools: false });
  expect(budget.estimate).toEqual({ inputTokens: 1000, outputTokens: usualOutputTokens });
  expect(budget.maxOutputTokens(true)).toBe(usualOutputTokens);
});

describe('with tools', () => {
  test('steps continue while another one fits after them', () => {
    const budget = new TokenBudget({ requestTokens: 10_000, hasTools: true });
    expect(budget.estimate.inputTokens).toBe(108_000);
    expect(budget.hasRoomForTools(10_000)).toBe(true);
    budget.spend(used(10_000));
    expect(budget.roomAfter(10_000)).toBe(88_000);
    expect(budget.hasRoomForTools(48_000)).toBe(true);
    expect(budget.hasRoomForTools(49_000)).toBe(false);
  });

  test('in the worst case the usage stays within the reservation', () => {
    const sizes = [100, 5000, 50_000].flatMap((bytes) =>
      [1, 300, undefined, 16_384].map((longestAnswer) => [bytes, longestAnswer] as const),
    );
    for (const [requestTokens, longestAnswer] of sizes) {
      const budget = new TokenBudget({ requestTokens, hasTools: true, longestAnswer });
      const { inputTokens, outputTokens } = budget.estimate;
      let [size, input, output] = [requestTokens, 0, 0];
      for (let isLast = false; !isLast; ) {
        isLast = !budget.hasRoomForTools(size);
        // Every answer is as long as it may be, and every result fills the room.
        const step = used(size, budget.maxOutputTokens(isLast));
        budget.spend(step);
        input += step.inputTokens;
        output += step.outputTokens;
        size += isLast ? 0 : budget.roomAfter(size);
      }
      expect(input).toBeLessThanOrEqual(inputTokens);
      expect(output).toBeLessThanOrEqual(outputTokens);
    }
  });

  test('long answers between are cut so that the last one has its room', () => {
    const budget = new TokenBudget({ requestTokens: 100, hasTools: true });
    expect(budget.maxOutputTokens(false)).toBe(usualOutputTokens);
    budget.spend(used(0, usualOutputTokens - 300));
    expect(budget.maxOutputTokens(false)).toBe(300);
    expect(budget.hasRoomForTools(100)).toBe(true);
    budget.spend(used(0, 100));
    expect(budget.hasRoomForTools(100)).toBe(false);
    expect(budget.maxOutputTokens(true)).toBe(usualOutputTokens);
  });

  test('an answer is still asked for if a server has exceeded its limits', () => {
    const budget = new TokenBudget({ requestTokens: 100, hasTools: true });
    budget.spend(used(0, 3 * usualOutputTokens));
    expect(budget.hasRoomForTools(100)).toBe(false);
    expect(budget.maxOutputTokens(true)).toBe(256);
  });

  test('an agent of short answers still has its steps with tools', () => {
    const budget = new TokenBudget({ requestTokens: 100, hasTools: true, longestAnswer: 50 });
    for (let step = 0; step < 5; step += 1) {
      expect(budget.hasRoomForTools(100)).toBe(true);
      expect(budget.maxOutputTokens(false)).toBe(50);
      budget.spend(used(100, 50));
    }
    expect(budget.maxOutputTokens(true)).toBe(50);
  });
});

test("without tools the agent's own limit is the longest answer", () => {
  const budget = new TokenBudget({ requestTokens: 1000, hasTools: false, longestAnswer: 16_384 });
  expect(budget.estimate.outputTokens).toBe(16_384);
  expect(budget.maxOutputTokens(true)).toBe(16_384);
});
