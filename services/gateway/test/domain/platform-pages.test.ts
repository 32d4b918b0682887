import { expect, test } from 'vitest';
import { admissionOf } from '../../src/domain/gate.ts';
import { patternOf } from '../../src/domain/platform-pages.ts';

test("a platform's public path admits that path, and none beneath or beside it", () => {
  const page = patternOf('/chat/:botId');
  const script = patternOf('/chat.js');
  expect(
    ['/chat/a1', '/chat', '/chat/', '/chat/a1/b', '/x/chat/a1'].filter((path) => page.test(path)),
  ).toEqual(['/chat/a1']);
  expect(['/chat.js', '/chatxjs', '/chat.js/x'].filter((path) => script.test(path))).toEqual(['/chat.js']);
});

test('a path outside the API that no platform names exists for nobody', () => {
  expect(admissionOf('/somewhere')).toBe('nobody');
});
