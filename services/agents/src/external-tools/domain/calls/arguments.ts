import { createHash } from 'node:crypto';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import canonicalize from 'canonicalize';
import { ToolError } from '../../../tools/domain/tool-error.ts';

/** The arguments of a call in canonical form (RFC 8785), and their SHA-256. */
export interface ExactArguments {
  arguments: string;
  argumentsHash: string;
}

/** @throws ToolError for anything except an object that can be written as JSON. */
export function exactly(given: unknown): ExactArguments {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ToolError('refused', 'the arguments do not fit: they must be an object');
  try {
    const text = canonicalize(given) ?? '{}';
    return { arguments: text, argumentsHash: hashOf(text) };
  } catch (error) {
    throw new ToolError('refused', 'the arguments do not fit: they must be JSON', { cause: error });
  }
}

export const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

const secretNames =
  /pass(word|wd|phrase)|secret|token|api[-_ ]?key|authorization|credential|cookie|private[-_ ]?key|cvv|^pin$/i;

/** Whether a name is one of a secret. */
export const isSecretName = (name: string): boolean => secretNames.test(name);

/**
 * Arguments for the history, traces and chats. Values that look like secrets, by name or by shape, are masked. The
 * person who approves a call sees `visibleArguments` instead.
 */
export function masked(canonical: string): unknown {
  try {
    return JSON.parse(canonical, (name, value: unknown) => {
      const isPlain = typeof value === 'string' || typeof value === 'number';
      if (isPlain && secretNames.test(name)) return '[secret]';
      return typeof value === 'string' ? withoutSecrets(value) : value;
    });
  } catch {
    return null;
  }
}

/** The same as text, to be stored. */
export const maskedText = (canonical: string): string => JSON.stringify(masked(canonical));
