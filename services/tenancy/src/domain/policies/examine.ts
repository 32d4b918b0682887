import type { Issue } from '@botyard/shared/http/errors';
import { baseId, baseSet } from './base-set.ts';
import { type Cedar, type DetailedError, demandParsed, schemaName } from './cedar.ts';
import { toAccessRequest, toMessageRequest } from './requests.ts';
import { schemaText } from './schema.ts';

/** What was found in a policy's text; `path` is `text`, lines and columns count from 1. */
export interface Findings {
  /** Why it can't be saved. */
  issues: Issue[];
  /** What looks like a mistake and works. */
  warnings: Issue[];
}

const trialSlot = 'trial';
const trialId = 'policy';

/**
 * Parses a text as exactly one policy, checks it against the schema, and has it decide once about every action: what a
 * text can break, it breaks here. @throws whatever a broken instance throws.
 */
export function examine(cedar: Cedar, text: string): Findings {
  const staticPolicies = { [trialId]: text };
  const answer = cedar.validate({
    schema: schemaText,
    policies: { staticPolicies },
    validationSettings: { mode: 'strict' },
  });
  const toIssue = (error: DetailedError) => issueOf(error, text);
  if (answer.type === 'failure') return { issues: answer.errors.map(toIssue), warnings: [] };
  const warned = answer.validationWarnings.map(({ error }) => error);
  const issues = [...answer.validationErrors.map(({ error }) => error), ...warned.filter(isTrap)].map(
    toIssue,
  );
  if (issues.length === 0) decideOnce(cedar, staticPolicies);
  return { issues, warnings: warned.filter((error) => !isTrap(error)).map(toIssue) };
}

/** A policy that reads otherwise than it works is no policy of honest people. */
const isTrap = ({ message }: DetailedError): boolean => /bidi|confusable|mixed script/i.test(message);

/** Words about how the text was handed over. */
const ourWords = new RegExp(
  `failed to parse policy with id \`${trialId}\` from string: |for policy \`${trialId}\`, `,
  'g',
);

function issueOf({ message, help, sourceLocations }: DetailedError, text: string): Issue {
  const at = sourceLocations?.[0]?.start;
  return {
    path: 'text',
    message: [message, help && `(${help})`].filter(Boolean).join(' ').replaceAll(ourWords, ''),
    ...(at === undefined ? {} : placeOf(text, at)),
  };
}

/** Cedar counts bytes of UTF-8; people count characters. */
function placeOf(text: string, byte: number): { line: number; column: number } {
  const before = Buffer.from(text, 'utf8').subarray(0, byte).toString('utf8');
  const lines = before.split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

function decideOnce(cedar: Cedar, policies: Readonly<Record<string, string>>): void {
  const base = Object.fromEntries(baseSet.map(({ name, text }) => [baseId(name), text]));
  demandParsed(cedar.preparseSchema(schemaName, schemaText));
  demandParsed(cedar.preparsePolicySet(trialSlot, { staticPolicies: { ...base, ...policies } }));
  for (const request of sampleRequests()) {
    cedar.statefulIsAuthorized({
      ...request,
      preparsedSchemaName: schemaName,
      validateRequest: true,
      preparsedPolicySetId: trialSlot,
    });
  }
}

function sampleRequests() {
  const now = new Date();
  const bot = { botId: 'b', name: 'Support', isEnabled: true };
  const caller = { userId: 'u', idpUserId: 'user_1', isOperator: false };
  const request = { address: '192.0.2.1', router: 'bots', method: 'GET' };
  const place = { tenantId: 't', botId: null, relation: 'admin' as const };
  return [
    ...(['read', 'manage'] as const).map((action) =>
      toAccessRequest({ caller, action, request }, place, { bot: null, now }),
    ),
    toMessageRequest(
      {
        tenantId: 't',
        bot,
        platform: 'messenger',
        chatKind: 'private',
        platformChatId: '1',
        sender: { platformUserId: '1', name: 'Anna' },
      },
      now,
    ),
  ];
}
