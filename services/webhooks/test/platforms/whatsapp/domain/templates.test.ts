import { expect, test } from 'vitest';
import { listTemplatesOf } from '../../../../src/platforms/whatsapp/domain/templates.ts';

const secrets = { accessToken: 'token', appSecret: 'secret', businessAccountId: '1' };
const templateOf = (index: number) => ({
  name: `template-${index}`,
  language: 'en',
  status: 'APPROVED',
  category: 'UTILITY',
  isNamed: false,
  components: [],
});

test('at most 500 templates of an account are read', async () => {
  let pages = 0;
  const templates = Array.from({ length: 100 }, (_, index) => templateOf(index));
  const listTemplates = async () => {
    pages += 1;
    return { outcome: 'ok' as const, result: { templates, after: String(pages) } };
  };
  const list = await listTemplatesOf({ listTemplates }, secrets);
  expect(list).toMatchObject({ templates: { length: 500 } });
  expect(pages).toBe(5);
});

test('after a failure of a later page no templates count as read', async () => {
  let pages = 0;
  const listTemplates = async () => {
    pages += 1;
    return pages === 1
      ? { outcome: 'ok' as const, result: { templates: [templateOf(1)], after: 'next' } }
      : { outcome: 'failed' as const, reason: 'no answer', unclear: true };
  };
  expect(await listTemplatesOf({ listTemplates }, secrets)).toEqual({ failure: 'no answer' });
});
