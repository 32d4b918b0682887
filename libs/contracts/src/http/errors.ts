import { z } from 'zod';

/** The statuses of errors. 429 is not among them: nothing beneath `/api` is limited by rate. */
export const errorStatuses = [
  400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 431, 500, 501, 502, 503, 504,
] as const;
export type ErrorStatus = (typeof errorStatuses)[number];

/** One fault of a request. */
const ErrorIssue = z
  .strictObject({
    path: z
      .string()
      .describe('The path of the field, with dots between its parts. Empty for the whole body.'),
    message: z.string().describe('What is wrong with it.'),
  })
  .meta({ id: 'ErrorIssue', description: 'One fault of a request: where it is and what is wrong.' });

/** The body of every response with a status of 400 or above (REQ-HTTP-1). */
export const ErrorBody = z
  .strictObject({
    error: z.string().describe('A message for people. Programs use the status.'),
    issues: z.array(ErrorIssue).optional().describe('One entry for each fault of the request.'),
  })
  .meta({ id: 'Error', description: 'The body of every response with a status of 400 or above.' });
