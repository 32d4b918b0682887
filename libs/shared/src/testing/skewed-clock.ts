/**
 * Settings of a process whose clock is wrong by so much: `Date` alone, as with a clock that was set wrong. What measures spans
 * (`performance.now()`, timers) goes on as ever.
 */
export function skewedClock(ms: number): { NODE_OPTIONS: string } {
  const code = `
    const real = Date.now.bind(Date);
    const now = () => real() + ${ms};
    globalThis.Date = new Proxy(Date, {
      construct: (target, given, self) => Reflect.construct(target, given.length > 0 ? given : [now()], self),
      apply: (target) => new target(now()).toString(),
      get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
