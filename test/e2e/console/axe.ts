import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules of WCAG 2.2 at level AA that a program can check. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const endOfMotion = `Promise.allSettled(
  document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished),
).then(() => undefined)`;

/** The parts of the page that not everybody can use, once nothing fades or moves any more. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(endOfMotion);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    async (values) =>
      await (globalThis as unknown as { axe: typeof axe }).axe.run({
        runOnly: { type: 'tag', values },
      }),
    rules,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, target }) => `${id}: ${help}: ${target} ${html.slice(0, 160)}`),
  );
}
