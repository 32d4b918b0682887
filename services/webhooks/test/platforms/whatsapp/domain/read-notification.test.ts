import { expect, test } from 'vitest';
import { readNotification } from '../../../../src/platforms/whatsapp/domain/read-notification.ts';
import { anna, itemsOf, ofMessage, ofNumber, wordsOf } from '../notifications.ts';

const spoken: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['a text', { type: 'text', text: { body: 'Grüße 👋' } }, 'Grüße 👋'],
  [
    'a pressed button of a message',
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: '1', title: 'Yes' } } },
    'Yes',
  ],
  [
    'a chosen row of a list',
    {
      type: 'interactive',
      interactive: {
        type: 'list_reply',
        list_reply: { id: '1', title: 'Tuesday', description: '9 o’clock' },
      },
    },
    'Tuesday',
  ],
  ['a pressed button of a template', { type: 'button', button: { payload: 'x', text: 'Stop' } }, 'Stop'],
  [
    'the answer to a form',
    {
      type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { body: 'Sent', response_json: '{"size":"M"}' } },
    },
    '[form: {"size":"M"}]',
  ],
  [
    'a place',
    {
      type: 'location',
      location: { latitude: 52.52, longitude: 13.4, name: 'Café Luna', address: 'Hauptstr. 1' },
    },
    '[place: Café Luna, Hauptstr. 1, 52.52, 13.4]',
  ],
  [
    'contacts',
    {
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Ben Ray' },
          org: { company: 'Acme' },
          phones: [{ phone: '+1 555', wa_id: '1555' }],
          emails: [{ email: 'ben@acme.example' }],
        },
        { name: { first_name: 'Cem' } },
      ],
    },
    '[contact: Ben Ray, Acme, +1 555, ben@acme.example]\n[contact: Cem]',
  ],
  ['a reaction', { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '🎉' } }, '[reaction: 🎉]'],
  [
    'an order',
    {
      type: 'order',
      order: {
        catalog_id: '1',
        text: 'soon, please',
        product_items: [{ product_retailer_id: 'sku-1', quantity: 2, item_price: 9.5, currency: 'EUR' }],
      },
    },
    '[order: 2 × sku-1 at 9.5 EUR, soon, please]',
  ],
  [
    'a message from an ad',
    {
      type: 'text',
      text: { body: 'Is it still there?' },
      referral: { source_type: 'ad', source_url: 'https://fb.me/x', headline: 'Sale', body: 'Bikes' },
    },
    '[came from the ad: Sale, Bikes, https://fb.me/x]\nIs it still there?',
  ],
  [
    'a forwarded text',
    { type: 'text', text: { body: 'hi' }, context: { forwarded: true } },
    '[forwarded]\nhi',
  ],
  [
    'a text that is forwarded often',
    { type: 'text', text: { body: 'hi' }, context: { frequently_forwarded: true } },
    '[forwarded many times]\nhi',
  ],
  [
    'a reply',
    { type: 'text', text: { body: 'this one' }, context: { from: '4930901820', id: 'wamid.X' } },
    '[in reply to an earlier message]\nthis one',
  ],
  [
    'a question about a product',
    {
      type: 'text',
      text: { body: 'in red?' },
      context: {
        from: '4930901820',
        id: 'wamid.X',
        referred_product: { catalog_id: '1', product_retailer_id: 'sku-9' },
      },
    },
    '[about the product: sku-9]\nin red?',
  ],
];

test.each(spoken)('%s reaches the agent in words', (_name, content, text) => {
  expect(wordsOf(content)).toMatchObject({ text, content: 'text', platformMessageId: 'wamid.HBgL' });
});

test.each([
  ['👍🏿', 'up'],
  ['👎', 'down'],
  ['', null],
])('the reaction "%s" rates the message', (emoji, rating) => {
  const [item] = itemsOf(ofMessage({ type: 'reaction', reaction: { message_id: 'wamid.X', emoji } }));
  expect(item).toMatchObject({ rating: { platformMessageId: 'wamid.X', rating } });
});

test('a line that a person wrote in square brackets cannot pass for a remark', () => {
  expect(wordsOf({ type: 'text', text: { body: '[contact: the boss]' } }).text).toBe('\\[contact: the boss]');
  const name = 'x] [place: here';
  const contact = { type: 'contacts', contacts: [{ name: { formatted_name: name } }] };
  expect(wordsOf(contact).text).toBe('[contact: x place: here]');
});

test('a file is an attachment with its caption as the text', () => {
  const image = { id: '1234567', mime_type: 'image/jpeg', sha256: 'x', caption: 'my bill' };
  expect(wordsOf({ type: 'image', image })).toMatchObject({
    text: 'my bill',
    attachment: { kind: 'image', mimeType: 'image/jpeg' },
    file: { fileRef: 'image:1234567', name: 'photo.jpg' },
  });
});

test('a voice message is told from other sounds, and a sticker is not fetched', () => {
  const audio = { id: '1234567', mime_type: 'audio/ogg; codecs=opus', voice: true };
  expect(wordsOf({ type: 'audio', audio })).toMatchObject({
    content: 'unsupported',
    attachment: { kind: 'voice' },
    file: { fileRef: 'voice:1234567' },
  });
  expect(wordsOf({ type: 'sticker', sticker: { id: '1234567' } })).not.toHaveProperty('file');
});

test('the name of a document loses marks that would show another extension', () => {
  const document = { id: '1234567', filename: 'bill\u202efdp.exe', mime_type: 'application/pdf' };
  expect(wordsOf({ type: 'document', document }).attachment?.name).toBe('billfdp.exe');
});

test('content of an unknown kind is unsupported, and never lost', () => {
  expect(wordsOf({ type: 'poll_creation', poll: {} })).toMatchObject({ text: '', content: 'unsupported' });
  expect(wordsOf({ type: 'unsupported', errors: [{ code: 131051 }] })).toMatchObject({
    content: 'unsupported',
  });
});

test('a command is a slash and a word at the beginning, unless it is forwarded', () => {
  expect(wordsOf({ type: 'text', text: { body: '/New start' } }).command).toEqual({
    name: 'new',
    argument: 'start',
  });
  expect(wordsOf({ type: 'text', text: { body: 'see /new' } })).not.toHaveProperty('command');
  const forwarded = { type: 'text', text: { body: '/stop' }, context: { forwarded: true } };
  expect(wordsOf(forwarded)).not.toHaveProperty('command');
});

test('every message and status of a batch is read, of every entry and change', () => {
  const one = ofMessage({ type: 'text', text: { body: 'one' }, id: 'wamid.1' });
  const two = ofMessage({ type: 'text', text: { body: 'two' }, id: 'wamid.2' });
  const [changes] = two.entry;
  one.entry.push(changes!);
  one.entry[0]?.changes.push(
    ...ofNumber({
      statuses: [{ id: 'wamid.3', status: 'read', timestamp: '1795200001', recipient_id: anna.phone }],
    }).entry[0]!.changes,
  );
  expect(itemsOf(one).map(({ eventId }) => eventId)).toEqual([
    'message:wamid.1',
    'status:wamid.3:read',
    'message:wamid.2',
  ]);
});

test('the reason of a failed message is told in words, with the code', () => {
  const errors = [{ code: 131047, title: 'Re-engagement message' }];
  const statuses = [{ id: 'wamid.3', status: 'failed', recipient_user_id: anna.userId, errors }];
  const [item] = itemsOf(ofNumber({ statuses }));
  expect(item).toMatchObject({
    person: { userId: anna.userId },
    status: { state: 'failed', reason: expect.stringMatching(/24 hours.*template.*131047/) },
  });
});

test('the text of a system message, which holds a name of choice, decides about no identity', () => {
  const system = { type: 'user_changed_user_id', body: 'User A changed from DE.1 to DE.2', user_id: 'DE.2' };
  const [item] = itemsOf(ofNumber({ messages: [{ id: 'wamid.4', type: 'system', system }] }));
  expect(item).toEqual({
    eventId: 'message:wamid.4',
    renamed: { from: { phone: undefined }, to: { userId: 'DE.2' } },
  });
});

test.each([
  ['account_update', { event: 'PARTNER_REMOVED' }, { state: 'removed' }],
  [
    'account_update',
    { event: 'ACCOUNT_RESTRICTION', restriction_info: [{ restriction_type: 'X' }] },
    { state: 'restricted' },
  ],
  [
    'account_update',
    { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } },
    { state: 'active' },
  ],
  [
    'phone_number_quality_update',
    { event: 'FLAGGED', display_phone_number: '+49 30' },
    { state: 'restricted' },
  ],
])('%s changes the state of the account', (field, value, account) => {
  const [item] = itemsOf(ofNumber(value, field));
  expect(item).toMatchObject({ account: { ...account, reason: expect.any(String) } });
});

test('what staff write in the app of the same number, and what they wrote before, is counted and never a message', () => {
  const said = {
    from: '49305550100',
    to: anna.phone,
    id: 'wamid.5',
    type: 'text',
    text: { body: 'On my way' },
  };
  const messages = [{ ...said, timestamp: '1795200000' }];
  const fields = {
    smb_message_echoes: { message_echoes: messages },
    history: { history: [{ threads: [{ messages }] }] },
  };
  for (const [field, value] of Object.entries({ ...fields, brand_new: { messages } }))
    expect(itemsOf(ofNumber(value, field))).toEqual([
      { eventId: expect.stringMatching(/^news:/), ignored: field === 'brand_new' ? 'unknown field' : field },
    ]);
});

test('deletions and edits name the message that they change', () => {
  const [deleted] = itemsOf(ofMessage({ type: 'revoke', revoke: { original_message_id: 'wamid.1' } }));
  expect(deleted).toMatchObject({ deletion: { platformMessageId: 'wamid.1' } });
  const message = { type: 'text', text: { body: 'better' } };
  const [edited] = itemsOf(ofMessage({ type: 'edit', edit: { original_message_id: 'wamid.1', message } }));
  expect(edited).toMatchObject({ edit: { platformMessageId: 'wamid.1', text: 'better' } });
});

test('bodies that are no notification are refused, and hostile ones read without an error', () => {
  expect(readNotification(Buffer.from('nope'))).toBeNull();
  expect(readNotification(Buffer.from('{"object":"page","entry":[]}'))).toBeNull();
  const hostile = [
    null,
    7,
    'x',
    [],
    {},
    { type: 'text' },
    { type: 'text', text: 7, id: 'wamid.1', from: '4917' },
  ];
  for (const messages of [hostile, 'x', 7, [[]]])
    expect(Array.isArray(itemsOf(ofNumber({ messages, statuses: messages, contacts: messages })))).toBe(true);
});
