import { documents, type Template } from './template.ts';

/** Records problems as tickets; questions about money go to a separate agent. */
export const supportDesk: Template = {
  templateId: 'support-desk',
  name: 'Support desk',
  description:
    'Helps with problems, looks things up in the documents, and takes what it cannot solve as a ticket.',
  tools: [documents],
  capabilities: [
    {
      key: 'tickets',
      name: 'Tickets',
      description: 'Takes problems down, and tells what became of them.',
      instructions: [
        'When you cannot solve a problem, offer to take it down as a ticket. Ask for what is missing, one question at a time, and save it with save_record.',
        'Repeat what you have saved in one sentence. When a person asks about a ticket, look it up with find_records and never guess.',
      ].join('\n'),
      keywords: ['ticket', 'problem', 'broken', 'error'],
      tools: [],
    },
  ],
  agents: [
    {
      key: 'desk',
      name: 'Support desk',
      description: 'Solves problems with what is sold and how it works.',
      instructions: [
        'You are the support desk. Find out what goes wrong before you answer, and search the documents before you say that you do not know.',
        'Give steps as a short numbered list. Promise no dates and no refunds.',
      ].join('\n'),
      keywords: ['help', 'problem', 'broken', 'error', 'install'],
      tools: ['documents'],
    },
    {
      key: 'billing',
      name: 'Billing desk',
      description: 'Answers questions about invoices, payments and refunds.',
      instructions: [
        'You are the billing desk. Answer questions about invoices, payments and refunds with what the documents say.',
        'You can change nothing about an order: take every wish for a refund down as a ticket with the urgency high. Never ask for card numbers.',
      ].join('\n'),
      keywords: ['invoice', 'refund', 'payment', 'charge'],
      tools: ['documents'],
    },
  ],
  spec: {
    specVersion: 1,
    agents: [
      { key: 'desk', capabilities: ['tickets'], records: [{ type: 'ticket', may: ['save', 'find'] }] },
      { key: 'billing', capabilities: ['tickets'], records: [{ type: 'ticket', may: ['save', 'find'] }] },
    ],
    recordTypes: [
      {
        name: 'ticket',
        label: 'Ticket',
        description: 'A problem that has to be looked at by a person.',
        fields: [
          { name: 'subject', type: 'text', label: 'Subject', required: true, maxLength: 200 },
          { name: 'details', type: 'text', label: 'What happened', maxLength: 4000 },
          {
            name: 'urgency',
            type: 'choice',
            label: 'Urgency',
            options: ['low', 'normal', 'high'],
            required: true,
          },
          { name: 'email', type: 'email', label: 'Where to answer' },
        ],
      },
    ],
    routes: [
      { name: 'ticket', agent: 'desk', when: { match: 'command', command: 'ticket' } },
      {
        name: 'billing',
        agent: 'billing',
        when: {
          match: 'words',
          words: ['invoice', 'invoices', 'refund', 'refunds', 'payment', 'charged', 'money back', 'billing'],
        },
      },
      { name: 'everything-else', agent: 'desk', when: { match: 'default' } },
    ],
  },
};
