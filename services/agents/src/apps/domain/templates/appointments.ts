import { clock, type Template } from './template.ts';

/** Takes requests for appointments, which people confirm. */
export const appointments: Template = {
  templateId: 'appointments',
  name: 'Appointment requests',
  description:
    'Takes wishes for appointments, with a day, a time and how to reach the person, for people to confirm.',
  tools: [clock],
  capabilities: [],
  agents: [
    {
      key: 'reception',
      name: 'Reception',
      description: 'Greets people and answers what comes up.',
      instructions: [
        'You are the reception. Be brief and friendly.',
        'When somebody wants an appointment, or to move one, tell them to write /book with the day and the time that they would like.',
      ].join('\n'),
      keywords: ['hello', 'open', 'address'],
      tools: ['clock'],
    },
    {
      key: 'booking',
      name: 'Booking desk',
      description: 'Takes wishes for appointments.',
      instructions: [
        'You take wishes for appointments. Look up the current time before you make a date of words such as tomorrow.',
        'Ask for the day, the time and the name, one question at a time. Save the wish with save_record, say what you saved, and that it is confirmed by a person.',
        'To change one, find it with find_records and save it again under its recordId.',
      ].join('\n'),
      keywords: ['appointment', 'book', 'booking', 'schedule'],
      tools: ['clock'],
    },
  ],
  spec: {
    specVersion: 1,
    agents: [
      { key: 'reception' },
      { key: 'booking', records: [{ type: 'appointment', may: ['save', 'find'] }] },
    ],
    recordTypes: [
      {
        name: 'appointment',
        label: 'Wish for an appointment',
        description: 'When a person wants to come. It is no promise.',
        fields: [
          { name: 'day', type: 'date', label: 'Day', required: true },
          { name: 'time', type: 'time', label: 'Time of day' },
          { name: 'name', type: 'text', label: 'Name', required: true, maxLength: 200 },
          { name: 'phone', type: 'phone', label: 'Telephone' },
          { name: 'reason', type: 'text', label: 'What it is about', maxLength: 1000 },
        ],
      },
    ],
    routes: [
      { name: 'book', agent: 'booking', when: { match: 'command', command: 'book' } },
      {
        name: 'appointments',
        agent: 'booking',
        when: { match: 'words', words: ['appointment', 'appointments', 'book', 'booking', 'reschedule'] },
      },
      { name: 'everything-else', agent: 'reception', when: { match: 'default' } },
    ],
  },
};
