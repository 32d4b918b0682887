import { readdir, readFile } from 'node:fs/promises';
import { parsePlatformHtml } from '@botyard/testing/messenger/parse-html';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Made = { tag: string; set: Record<string, unknown>; children: (Made | string)[] };

const page = new URL('../page/', import.meta.url);
/** The page's modules are plain JavaScript, which the compiler doesn't look into. */
const { safeHtml } = await import(new URL('safe-html.js', page).href);

/**
 * A document that records created elements and every property that is set: markup in a text would show as an element.
 */
const document = {
  createTextNode: (text: string) => text,
  createElement: (tag: string) => element(tag),
  createDocumentFragment: () => element('#fragment'),
};

function element(tag: string): Made {
  const made: Made = { tag, set: {}, children: [] };
  const methods: Record<string, unknown> = {
    append: (...children: (Made | string)[]) => made.children.push(...children),
    addEventListener: () => undefined,
    dataset: made.set,
  };
  return new Proxy(made, {
    get: (target, name: string) => methods[name] ?? target[name as keyof Made],
    set: (target, name: string, value) => {
      target.set[name] = value;
      return true;
    },
  });
}

beforeAll(() => {
  Object.assign(globalThis, { document });
});

afterAll(() => {
  Reflect.deleteProperty(globalThis, 'document');
});

const allowedTags = new Set(['b', 'i', 'u', 's', 'code', 'pre', 'blockquote', 'button', 'a']);
const allowedProperties = new Set(['href', 'title', 'target', 'rel', 'type', 'className', 'language']);

function everyElement(made: Made): Made[] {
  const inside = made.children.filter((child) => typeof child !== 'string').flatMap(everyElement);
  return made.tag === '#fragment' ? inside : [made, ...inside];
}

const textOf = (made: Made): string =>
  made.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');

/** Elements, properties and links that must never be made, whatever the input. */
function faultsOf({ tag, set }: Made): string[] {
  const properties = Object.keys(set).filter((name) => !allowedProperties.has(name));
  const isFalseLink = tag === 'a' && !/^(https?:|mailto:|tg:|tel:)/i.test(String(set.href));
  return [...(allowedTags.has(tag) ? [] : [tag]), ...properties, ...(isFalseLink ? [String(set.href)] : [])];
}

function render(text: string, entities: unknown[] = []): Made {
  const made = safeHtml(text, entities) as Made;
  expect(everyElement(made).flatMap(faultsOf)).toEqual([]);
  return made;
}

/** As the bot sends it: the platform parses, the page renders. */
function renderSent(html: string): Made {
  const { text, entities } = parsePlatformHtml(html);
  return render(text, entities);
}

test('formatting becomes elements, in each other as it was sent', () => {
  const made = renderSent('a <b>bold <i>and</i></b> <pre><code class="language-ts">x &lt; y</code></pre>');
  expect(everyElement(made).map(({ tag }) => tag)).toEqual(['b', 'i', 'pre']);
  expect(textOf(made)).toBe('a bold and x < y');
  expect(everyElement(made).at(-1)?.set).toEqual({ language: 'ts' });
});

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '</div><iframe src="javascript:alert(1)">',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
])('markup in a text stays text: %s', (text) => {
  const made = render(text);
  expect(textOf(made)).toBe(text);
  expect(everyElement(made)).toEqual([]);
});

test('escaped markup that the platform lets through stays text', () => {
  const made = renderSent('<b>&lt;img src=x onerror=alert(1)&gt;</b>');
  expect(everyElement(made).map(({ tag }) => tag)).toEqual(['b']);
  expect(textOf(made)).toBe('<img src=x onerror=alert(1)>');
});

test.each([
  'javascript:alert(1)',
  ' java\nscript:alert(1)',
  'data:text/html,<b>',
  'vbscript:x',
  'file:///etc',
  '//x',
  '',
])('a link to %j is no link', (url) => {
  const made = render('click', [{ type: 'text_link', offset: 0, length: 5, url }]);
  expect(everyElement(made)).toEqual([]);
  expect(textOf(made)).toBe('click');
});

test('a link shows where it leads, and tells that place nothing', () => {
  const [link] = everyElement(
    render('bank', [{ type: 'text_link', offset: 0, length: 4, url: 'https://evil.test/' }]),
  );
  expect(link?.set).toMatchObject({
    title: 'https://evil.test/',
    rel: 'noopener noreferrer',
    target: '_blank',
  });
  expect(everyElement(render('see https://a.test/b, or not')).map(({ set }) => set.href)).toEqual([
    'https://a.test/b',
  ]);
});

test('kinds of formatting that are not known, or are names of everything, become nothing', () => {
  for (const type of ['script', 'constructor', '__proto__', 'toString', 'iframe'])
    expect(everyElement(render('abc', [{ type, offset: 0, length: 3 }]))).toEqual([]);
  const language = 'x" onmouseover="alert(1)';
  expect(everyElement(render('abc', [{ type: 'pre', offset: 0, length: 3, language }]))[0]?.set).toEqual({});
});

test('whatever the entities are, no character is lost, doubled or turned into markup', () => {
  const entity = fc.record({
    type: fc.constantFrom('bold', 'italic', 'code', 'text_link', 'spoiler', 'underline', 'script', 'url'),
    offset: fc.integer({ min: -5, max: 60 }),
    length: fc.integer({ min: -5, max: 60 }),
    url: fc.constantFrom('https://a.test/', 'javascript:alert(1)', '<b>', ''),
    language: fc.constantFrom('ts', '"><b>', ''),
  });
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'ab <>&\n"😀\u202e\ud800') }),
    fc.constantFrom('<script>x</script> https://a.test <b>'),
  );
  fc.assert(
    fc.property(text, fc.array(entity, { maxLength: 8 }), (words, entities) => {
      expect(textOf(render(words, entities))).toBe(words);
    }),
  );
});

test('no file of the page writes markup or runs text, so there is no way around safe-html.js', async () => {
  for (const name of (await readdir(page)).filter((one) => one.endsWith('.js'))) {
    const code = await readFile(new URL(name, page), 'utf8');
    expect(code, name).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc/);
    expect(code, name).not.toMatch(/\beval\b|new Function|setTimeout\(['"`]|createContextualFragment/);
  }
  const html = await readFile(new URL('app.html', page), 'utf8');
  expect(html).not.toMatch(/\son\w+=|style=|<style|javascript:|https?:\/\/(?!localhost|www\.w3\.org)/);
  for (const [, code] of html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)) expect(code).toBe('');
});
