/** The date of an answer has whole seconds, and tokens have a leeway of 5 s. */
const toleratedMs = 6000;

/**
 * Compares this machine's clock with the date of an answer of the identity provider, whose clock dates the tokens.
 * `undefined` if they agree or the answer has no date. A cache's answer is older by its `Age`.
 */
export function clockProblem(
  headers: Headers,
  { askedAt, answeredAt }: { askedAt: number; answeredAt: number },
): { setting: string; cause: string; problem: string } | undefined {
  const date = Date.parse(headers.get('date') ?? '') + (Number(headers.get('age')) || 0) * 1000;
  if (Number.isNaN(date)) return undefined;
  const aheadMs = Math.max(askedAt - date, 0) + Math.min(answeredAt - date, 0);
  if (Math.abs(aheadMs) <= toleratedMs) return undefined;
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return {
    setting: 'clock',
    cause: 'provider',
    problem:
      `the clock of this machine is ${seconds} s ${side} that of the identity provider, so valid tokens are refused: ` +
      'synchronize it (NTP)',
  };
}
