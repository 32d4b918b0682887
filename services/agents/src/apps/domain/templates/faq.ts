import { documents, type Template } from './template.ts';

/** Answers from documents only, and records the questions that they don't answer. */
export const faq: Template = {
  templateId: 'faq',
  name: 'Questions and answers',
  description:
    'Answers questions from the documents, says where it found it, and keeps the questions that they leave open.',
  tools: [documents],
  capabilities: [],
  agents: [
    {
      key: 'guide',
      name: 'Guide',
      description: 'Answers questions from the documents.',
      instructions: [
        'You answer questions from the documents and from nothing else. Search them before every answer, with the words that the documents would use.',
        'Say in which document you found it. When they do not answer a question, say so, save it as an open question with save_record, and tell the person that somebody will look at it.',
      ].join('\n'),
      keywords: ['question', 'how', 'what', 'policy', 'document'],
      tools: ['documents'],
    },
  ],
  spec: {
    specVersion: 1,
    agents: [{ key: 'guide', records: [{ type: 'open_question', may: ['save'] }] }],
    recordTypes: [
      {
        name: 'open_question',
        label: 'Open question',
        description: 'A question that the documents do not answer.',
        fields: [
          { name: 'question', type: 'text', label: 'Question', required: true },
          { name: 'email', type: 'email', label: 'Where to answer' },
        ],
      },
    ],
    routes: [
      { name: 'ask', agent: 'guide', when: { match: 'command', command: 'ask' } },
      { name: 'everything-else', agent: 'guide', when: { match: 'default' } },
    ],
  },
};
