import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startOf, tokensOf } from '../../../src/models/clients/tokens.ts';

describe('the estimate of tokens', () => {
  /** Texts, and what the tokenizers of GPT-4, Qwen and Llama made of them: between the fewest and twice the most. */
  test.each([
    ['English', 'The quick brown fox jumps over the lazy dog near the river bank.', 14, 30],
    ['German', 'Können Sie mir bitte sagen, wann die nächste Lieferung kommt?', 14, 40],
    ['Chinese', '请把这一段话总结一下，然后发给我的同事。', 18, 40],
    ['Japanese', 'この文章を要約して、同僚に送ってください。', 18, 44],
    ['Korean', '이 글을 요약해서 동료에게 보내 주세요.', 14, 44],
    ['Russian', 'Пожалуйста, перескажите этот текст и отправьте его коллеге.', 18, 60],
    ['Arabic', 'من فضلك لخص هذا النص وأرسله إلى زميلي.', 14, 60],
    ['Hindi', 'कृपया इस पाठ का सारांश बनाकर मेरे सहकर्मी को भेजें।', 30, 120],
    ['Thai', 'กรุณาสรุปข้อความนี้แล้วส่งให้เพื่อนร่วมงานของฉัน', 30, 120],
    ['emoji', '👍🏽🎉🦄', 8, 30],
  ])('follows the script: %s', (_, text, least, most) => {
    expect(tokensOf(text)).toBeGreaterThanOrEqual(least);
    expect(tokensOf(text)).toBeLessThanOrEqual(most);
  });

  test('a start within a limit is within it, is as long as possible, and halves no pair', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 300 }), (whole, limit) => {
        const start = startOf(whole, limit);
        expect(whole.startsWith(start)).toBe(true);
        expect(start.isWellFormed()).toBe(whole.slice(0, start.length).isWellFormed());
        expect(tokensOf(start)).toBeLessThanOrEqual(limit + 1);
        if (start !== whole) expect(tokensOf(whole.slice(0, start.length + 2))).toBeGreaterThanOrEqual(limit);
      }),
    );
  });
});
