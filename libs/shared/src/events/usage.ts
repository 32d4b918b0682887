import { z } from 'zod';
import { defineRequest } from '../bus/definition.ts';
import { TokenFigures } from '../contracts/bot-stats.ts';

export const sumBotDays = defineRequest('usage.bot.sum.v1', {
  summary: "A bot's tokens on each of the UTC days from `from` to `to` on which there were any.",
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), botId: z.uuid(), from: z.iso.date(), to: z.iso.date() }),
  response: z.object({ days: z.array(TokenFigures.extend({ day: z.iso.date() })) }),
  timeoutMs: 5500,
});
