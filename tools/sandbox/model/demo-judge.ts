import { contentText, type ModelRequest } from '@botyard/testing/fake-model';

/**
 * The verdict of the sandbox model where it is asked as the judge of a test set: an answer passes if it has every text
 * that the rubric quotes. A rubric with the word "undecided" gets no verdict.
 */
export function verdictOf({ messages }: Pick<ModelRequest, 'messages'>): string | undefined {
  const [instructions = '', content = ''] = messages.map(contentText);
  if (!instructions.startsWith('You judge an answer') || !instructions.includes('VERDICT: PASS'))
    return undefined;
  const [, rubric = ''] = instructions.split('\n\n');
  const answer = content.split('The answer to judge:').at(-1) ?? '';
  const quoted = [...rubric.matchAll(/[“"]([^“”"]+)[”"]/g)].map(([, text = '']) => text);
  if (rubric.includes('undecided')) return 'I am the sandbox model, and can not decide that.';
  const missing = quoted.find((text) => !answer.toLowerCase().includes(text.toLowerCase()));
  return missing === undefined
    ? 'I am the sandbox model: the answer has all that the rubric quotes.\nVERDICT: PASS'
    : `I am the sandbox model: the answer does not have “${missing}”.\nVERDICT: FAIL`;
}
