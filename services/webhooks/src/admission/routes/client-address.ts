import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

/** One network of IPv6 is one client. */
const ipv6Subnet = 64;

/** The client's address, as the gateway states it. */
export const writtenAddress = (req: Request): string =>
  req.headers['x-forwarded-for']?.toString() ?? req.socket.remoteAddress ?? '';

/** The client for limits and shares. */
export const clientAddress = (req: Request): string => ipKeyGenerator(writtenAddress(req), ipv6Subnet);
