/** Instructions for an agent that does what somebody described in a sentence. They are a draft to be edited. */
export const draftInstructions = (name: string, purpose: string): string =>
  [
    `You are ${name}. ${asSentence(purpose)}`,
    'Answer in the language of the person, in a few friendly sentences.',
    'Say so if you do not know something, and never invent facts, prices or promises.',
    'If a question has nothing to do with your task, say politely what you can help with.',
  ].join('\n');

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
