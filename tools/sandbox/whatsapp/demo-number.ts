/** The sandbox's business on WhatsApp: one number whose credentials stay the same, and two people. */
import type { FakeWhatsApp } from '@botyard/testing/fake-whatsapp';
import type { Business } from '@botyard/testing/whatsapp/new-business';
import type { Template } from '@botyard/testing/whatsapp/types';

/** Approved texts that staff can send, and one that still waits. */
const templates: Template[] = [
  {
    name: 'order_ready',
    language: 'en',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Your order is ready' },
      {
        type: 'BODY',
        text: 'Hello {{1}}, order *{{2}}* waits for you at the harbour shop until 18:00.',
        example: { body_text: [['Anna', '4711']] },
      },
      { type: 'FOOTER', text: 'Harbour Books' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'I am on my way' },
          { type: 'QUICK_REPLY', text: 'Send it to me' },
          { type: 'URL', text: 'Opening hours', url: 'https://harbour.example/hours' },
        ],
      },
    ],
  },
  {
    name: 'we_have_an_answer',
    language: 'en',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'We have an answer for you. May we send it here?' }],
  },
  {
    name: 'summer_sale',
    language: 'en',
    status: 'PENDING',
    category: 'MARKETING',
    components: [{ type: 'BODY', text: 'Everything for the beach at half the price.' }],
  },
];

const people = [
  { phone: '491701112223', userId: 'DE.100000000000011', name: 'Anna' },
  { phone: '4917099988877', userId: 'DE.100000000000012', name: 'Benedikt' },
];

/** Adds the business to a fresh fake. Its app is subscribed when an integration is created. */
export function addNumber(whatsapp: FakeWhatsApp): Business {
  for (const person of people) whatsapp.addPerson(person);
  return whatsapp.addBusiness({
    token: 'sandbox-access-token',
    app: {
      id: '100000000000001',
      secret: 'sandbox-app-secret',
      fields: new Set(['messages', 'user_id_update']),
    },
    account: { id: '100000000000002', subscribed: new Map(), templates },
    number: { id: '100000000000003', display: '+49 30 5550100', name: 'Harbour' },
  });
}

/** The business of a sandbox's fake: it has one. */
export function businessOf({ apps, accounts, numbers, tokens }: FakeWhatsApp): Business {
  const [[app], [account], [number], [token]] = [apps, accounts, numbers, tokens].map((all) => [
    ...all.values(),
  ]) as unknown as [[Business['app']], [Business['account']], [Business['number']], [{ value: string }]];
  return { app, account, number, token: token.value };
}
