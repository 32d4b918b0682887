import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ignoredKinds } from '../../../../src/platforms/telegram/domain/kinds.ts';
import { contentWords } from '../../../../src/platforms/telegram/domain/words/content-words.ts';
import { entityKinds } from '../../../../src/platforms/telegram/domain/words/entity-words.ts';
import { messageFields, wordFields } from '../../../../src/platforms/telegram/domain/words/message-fields.ts';
import { richBlockKinds, richTextKinds } from '../../../../src/platforms/telegram/domain/words/rich-words.ts';

const types = join(createRequire(import.meta.url).resolve('@grammyjs/types/package.json'), '..');
const source = (name: string): string =>
  readFileSync(join(types, `${name}.d.ts`), 'utf8').replace(/\/\*\*.*?\*\//gs, '');
/** The fields of an interface of the published types. */
const fieldsOf = (name: string, file: string): string[] => {
  const body = new RegExp(`interface ${name}\\b[^{]*\\{(.*?)\\n *\\}`, 's').exec(source(file))?.[1] ?? '';
  return [...body.matchAll(/^ +(\w+)\??:/gm)].map(([, field]) => field!);
};
/** The kinds that the objects of a union can have. */
const kindsOf = (union: string, file: string): string[] => {
  const members = new RegExp(`export type ${union} = ([^;]*);`).exec(source(file))?.[1] ?? '';
  const names = members.split('|').map((one) => one.trim().split('.').at(-1)!);
  return names
    .filter((name) => /^[A-Z]/.test(name))
    .flatMap((name) => {
      const body = new RegExp(`interface ${name}\\b[^{]*\\{(.*?)\\n *\\}`, 's').exec(source(file))?.[1] ?? '';
      return [...(/\btype: ([^;]+);/.exec(body)?.[1] ?? '').matchAll(/"(\w+)"/g)].map(([, kind]) => kind!);
    });
};

describe("everything that today's Bot API can carry has a decision", () => {
  const common = ['ServiceMessage', 'CommonMessage', 'CaptionableMessage', 'MediaMessage', 'Message'];

  test('each field of a message', () => {
    const fields = common.flatMap((name) => fieldsOf(name, 'message'));
    expect(fields.length).toBeGreaterThan(100);
    expect(Object.keys(messageFields).sort()).toEqual([...new Set(fields)].sort());
  });

  test('each content that is words has its words', () => {
    expect(Object.keys(contentWords).sort()).toEqual([...wordFields].sort());
  });

  test('each field of a reply to another chat is a field of messages, too', () => {
    const frame = ['origin'];
    for (const field of fieldsOf('ExternalReplyInfo', 'message'))
      expect([...Object.keys(messageFields), ...frame]).toContain(field);
  });

  test('each kind of entity, of formatted text and of block', () => {
    expect(kindsOf('MessageEntity', 'message').sort()).toEqual(Object.keys(entityKinds).sort());
    expect(kindsOf('RichText', 'rich').sort()).toEqual(Object.keys(richTextKinds).sort());
    expect(kindsOf('RichBlock', 'rich').sort()).toEqual(Object.keys(richBlockKinds).sort());
  });

  test('each kind of update', () => {
    const read = [
      'update_id',
      'message',
      'edited_message',
      'callback_query',
      'my_chat_member',
      'message_reaction',
    ];
    expect([...ignoredKinds, ...read].sort()).toEqual(fieldsOf('Update', 'update').sort());
  });

  test('each origin of a forwarded message', () => {
    expect(kindsOf('MessageOrigin', 'message').sort()).toEqual(['channel', 'chat', 'hidden_user', 'user']);
  });
});
