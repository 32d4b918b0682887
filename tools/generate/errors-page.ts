import { errorCodes, issueCodes } from '@botyard/contracts/http/errors';

const introduction = `<!-- Written by \`npm run generate\` from libs/contracts/src/http/errors.ts; a test compares it. -->

# Errors

Every answer with a status of 400 or above has the body

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

\`error\` and \`message\` are for people and may change. \`code\` keeps its name and meaning. New codes may be added: a client treats
one that it doesn't know as the status says. Some errors have more beside them, such as \`limit\` or \`bots\`.

- An unknown field of a body is refused at any depth, and so is an unknown query parameter. Where they are no field, the identifiers
  \`id\`, \`tenantId\`, \`botId\`, \`integrationId\`, \`keyId\`, \`agentId\` and \`userId\` are ignored, so that what was read can be sent back.
  Free-form objects, and what platforms deliver at \`/webhooks\`, may have any field.
- Broken JSON has one issue with \`line\` and \`column\` of the place where it breaks.
- An identifier in a path that is no UUID is 404, whoever asks.
- Another method than those of a path is 405 with \`Allow\`, for callers who may use one of them. Others are answered as by those.`;

/** The page of all codes, for people. */
export function createErrorsPage(): string {
  const codes = Object.entries(errorCodes).map(
    ([code, { statuses, meaning }]) =>
      `| \`${code}\` | ${statuses.join(', ') || 'in a stream'} | ${meaning} |`,
  );
  const issues = Object.entries(issueCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  const sections = [
    introduction,
    '## Codes of an error',
    ['| Code | Status | Meaning |', '|---|---|---|', ...codes].join('\n'),
    '## Codes of an issue',
    ['| Code | Meaning |', '|---|---|', ...issues].join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}
