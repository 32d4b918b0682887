import { exceededBound, type JsonBounds, usualBounds } from './json-bounds.ts';

/** Why a text was not read: it is no JSON, or has too many values or levels. */
export type JsonFault = 'syntax' | 'values' | 'depth';

/** The message contains nothing of the text. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly fault: JsonFault;

  constructor(fault: JsonFault) {
    super(
      fault === 'syntax'
        ? 'the text is no JSON'
        : `the JSON has too many ${fault === 'depth' ? 'levels' : fault}`,
    );
    this.fault = fault;
  }
}

/**
 * Parses foreign JSON on the main loop, so its caller bounds the bytes: what can be longer than `maxBytesOnLoop` is for
 * `readJson`.
 * @throws JsonError.
 */
export function parseForeignJson(content: Uint8Array | string, bounds: JsonBounds = usualBounds): unknown {
  const exceeded = exceededBound(typeof content === 'string' ? Buffer.from(content) : content, bounds);
  if (exceeded) throw new JsonError(exceeded);
  try {
    return JSON.parse(typeof content === 'string' ? content : new TextDecoder().decode(content));
  } catch {
    throw new JsonError('syntax');
  }
}

/** The same, but `undefined` for a text that can't be read. */
export function tryParseForeignJson(content: Uint8Array | string, bounds: JsonBounds = usualBounds): unknown {
  try {
    return parseForeignJson(content, bounds);
  } catch {
    return undefined;
  }
}
