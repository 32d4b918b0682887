import { visibleJson } from '@botyard/shared/words/visible';

/** Bytes of the text that a person is asked to approve, at most. */
export const maxShownBytes = 32_768;

/**
 * Arguments as the person who approves the call reads them: indented JSON in which every character that can't be seen,
 * or can be taken for another one, is written out. The text has the same value as the arguments, so that two calls
 * never look alike.
 */
export const visibleArguments = (canonical: string): string => visibleJson(JSON.parse(canonical));
