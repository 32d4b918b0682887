import { busBounds } from '../../json/json-bounds.ts';
import { parseForeignJson, tryParseForeignJson } from '../../json/parse-json.ts';

/** A delivered message. */
interface Delivered {
  data: Uint8Array;
}

/** Parses a message. @throws JsonError. */
export const parseMessage = ({ data }: Delivered): unknown => parseForeignJson(data, busBounds);

/**
 * Parses a message; returns `undefined` if it isn't JSON. It must not throw: that would end the reading of the whole
 * connection, and the process would receive nothing until the server notices its missing pings.
 */
export const readJson = ({ data }: Delivered): unknown => tryParseForeignJson(data, busBounds);
