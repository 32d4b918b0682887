import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { type ConsoleBrowser, openPage } from './open-console.ts';

export const looks: Readonly<Record<'on a desk' | 'on a phone', BrowserContextOptions>> = {
  'on a desk': { viewport: { width: 1280, height: 800 } },
  'on a phone': { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/**
 * A page whose clicks and keys are counted as a person's. Playwright's `fill` is typing, so it costs no click. A
 * question of the browser that is confirmed costs one, and a choice from a list two.
 */
export class CountedPage {
  readonly page: Page;
  clicks = 0;
  keys = 0;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(browser: ConsoleBrowser, look: BrowserContextOptions): Promise<CountedPage> {
    const page = await browser.newPage(look);
    const counted = new CountedPage(page);
    page.on('dialog', (dialog) => {
      counted.clicks += 1;
      void dialog.accept();
    });
    // Pages that open beside this one are counted, too.
    const context = page.context();
    await context.exposeFunction('countClick', () => {
      counted.clicks += 1;
    });
    await context.exposeFunction('countKey', () => {
      counted.keys += 1;
    });
    // Only a person's own clicks are trusted. A letter of a text is no key.
    await context.addInitScript(`
      addEventListener('click', ({ isTrusted, detail }) => { if (isTrusted && detail > 0) countClick(); }, true);
      addEventListener('keydown', ({ target, key, ctrlKey }) => {
        if (!target.closest('input, textarea') || ctrlKey && key !== 'Control') countKey();
      }, true);
    `);
    return counted;
  }

  /** Opens a page and counts from there on. */
  async begin(path: string): Promise<void> {
    await openPage(this.page, path);
    this.clicks = 0;
    this.keys = 0;
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name });
  }

  field(name: string): Locator {
    return this.page.getByLabel(name, { exact: true });
  }

  /** Goes to a page by the navigation, which a phone has behind "More" unless it is among the first pages. */
  async goTo(name: string): Promise<void> {
    const inBar = this.page.getByRole('navigation', { name: 'First pages' });
    const first = inBar.getByRole('link', { name, exact: true });
    if (!(await inBar.isVisible()) || (await first.isVisible()))
      return await this.page
        .getByRole('link', { name, exact: true })
        .and(this.page.locator('nav a:visible'))
        .first()
        .click();
    await this.button('More').click();
    await this.page.getByRole('dialog').getByRole('link', { name, exact: true }).click();
  }

  /** Picks from a list: one click opens it, another one chooses. */
  async choose(field: Locator, label: string): Promise<void> {
    await field.selectOption({ label });
    this.clicks += 2;
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
