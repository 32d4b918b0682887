/**
 * Settings of a process whose clock is off by this much: only `Date`, as with a wrongly set clock. Time spans
 * (`performance.now()`, timers) are unaffected.
 */
export const skewedClock = (ms: number): { NODE_OPTIONS: string } => clockWith(`const skew = () => ${ms};`);

/** Like `skewedClock`, but the clock is right at first and jumps by the next value at each `SIGUSR2`. */
export const jumpingClock = (jumpsMs: readonly number[]): { NODE_OPTIONS: string } =>
  clockWith(`
    const skews = ${JSON.stringify([0, ...jumpsMs])};
    const skew = () => skews[0];
    process.on('SIGUSR2', () => { if (skews.length > 1) skews.shift(); });`);

function clockWith(skew: string): { NODE_OPTIONS: string } {
  const code = `
    ${skew}
    const real = Date.now.bind(Date);
    const now = () => real() + skew();
    globalThis.Date = new Proxy(Date, {
      construct: (target, args, self) => Reflect.construct(target, args.length > 0 ? args : [now()], self),
      apply: (target) => new target(now()).toString(),
      get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    });`;
  return importing(code);
}

/** Settings of a process that runs this code first. */
export const importing = (code: string): { NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
});
