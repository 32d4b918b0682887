import { expect, test } from 'vitest';
import { offerTemplates } from '../../../../src/platforms/whatsapp/domain/offer-templates.ts';

type Components = readonly Readonly<Record<string, unknown>>[];

const rowOf = (components: Components, status = 'APPROVED') => ({
  name: 'order',
  language: 'en',
  status,
  category: 'UTILITY',
  isNamed: false,
  components,
});
const body = { type: 'BODY', text: 'Hello {{1}}' };
const reasonOf = (components: Components, status?: string) =>
  offerTemplates([rowOf(components, status)]).unavailable[0]?.reason;

test('a template is offered with its texts, its labels, and the gaps in the order of their numbers', () => {
  const example = { body_text: [['Anna', '17']] };
  const { templates, unavailable } = offerTemplates([
    rowOf([
      { type: 'HEADER', format: 'TEXT', text: 'Your order' },
      { type: 'BODY', text: 'Order {{2}} of {{1}}, {{1}}!', example },
      { type: 'FOOTER', text: 'Luna Books' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] },
    ]),
  ]);
  expect(unavailable).toEqual([]);
  expect(templates).toEqual([
    {
      name: 'order',
      language: 'en',
      category: 'UTILITY',
      header: 'Your order',
      body: 'Order {{2}} of {{1}}, {{1}}!',
      footer: 'Luna Books',
      buttons: ['Thanks'],
      parameters: [
        { name: '1', example: 'Anna' },
        { name: '2', example: '17' },
      ],
    },
  ]);
});

test('named gaps have the examples of their names', () => {
  const example = { body_text_named_params: [{ param_name: 'day', example: 'Monday' }] };
  const { templates } = offerTemplates([
    rowOf([{ type: 'BODY', text: '{{first_name}}, see you {{ day }}', example }]),
  ]);
  expect(templates[0]!.parameters).toEqual([{ name: 'first_name' }, { name: 'day', example: 'Monday' }]);
});

test.each([
  ['not approved', [body], 'WhatsApp has not approved it (PAUSED)', 'PAUSED'],
  ['a picture above', [{ type: 'HEADER', format: 'IMAGE' }, body], 'its header is a file or a place'],
  ['gaps in the header', [{ type: 'HEADER', format: 'TEXT', text: '{{1}}' }, body], 'its header has gaps'],
  [
    'an address with gaps',
    [body, { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://example.com/{{1}}' }] }],
    'the address of a button has gaps',
  ],
  [
    'a code to copy',
    [body, { type: 'BUTTONS', buttons: [{ type: 'OTP', text: 'Copy' }] }],
    'it has a button that is not supported (OTP)',
  ],
  ['cards', [body, { type: 'CAROUSEL', cards: [] }], 'it has a part that is not supported (CAROUSEL)'],
  ['no body', [{ type: 'FOOTER', text: 'Luna' }], 'it has no text'],
] as const)(
  'a template with %s is not offered, and says why',
  (_what, components, reason, status?: string) => {
    expect(reasonOf(components, status)).toBe(reason);
  },
);
