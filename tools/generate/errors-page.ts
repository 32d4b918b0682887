import { errorCodes, issueCodes } from '@botyard/contracts/http/errors';

const introduction = `<!-- Written by \`npm run generate\` from libs/contracts/src/http/errors.ts; a test compares it. -->

# Errors

Every response with a status of 400 or above has the body

\`\`\`json
{
  "error": "the request is not valid",
  "code": "validation_failed",
  "issues": [
    { "path": "nmae", "code": "unrecognized_field", "message": "unrecognized field: did you mean \\"name\\"?" },
    { "path": "name", "code": "required", "message": "is required" }
  ]
}
\`\`\`

\`error\` and \`message\` are human-readable and may change. \`code\` is stable. New codes may be added; a client should handle
an unknown code according to the status. Some errors have additional fields, such as \`limit\` or \`bots\`.

- Unknown fields of a body are rejected at any depth, as are unknown query parameters. The identifiers \`id\`, \`tenantId\`,
  \`botId\`, \`integrationId\`, \`keyId\`, \`agentId\` and \`userId\` are ignored if they are not a field, so that a client can send
  back what it has read. Free-form objects, and deliveries from platforms at \`/webhooks\`, may have any field.
- Malformed JSON has one issue, with the \`line\` and \`column\` of the error.
- An identifier in a path that is not a UUID returns 404 to every caller.
- A method that a path does not support returns 405 with \`Allow\` to callers who may use one of its methods. Other callers
  get the same response as for those methods.`;

/** A Markdown page that lists all codes. */
export function createErrorsPage(): string {
  const codes = Object.entries(errorCodes).map(
    ([code, { statuses, meaning }]) =>
      `| \`${code}\` | ${statuses.join(', ') || 'in a stream'} | ${meaning} |`,
  );
  const issues = Object.entries(issueCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  const sections = [
    introduction,
    '## Error codes',
    ['| Code | Status | Meaning |', '|---|---|---|', ...codes].join('\n'),
    '## Issue codes',
    ['| Code | Meaning |', '|---|---|', ...issues].join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}
