import { checkParsePolicySet, isAuthorized, validate } from '@cedar-policy/cedar-wasm/nodejs';
import { expect, test } from 'vitest';
import { policyNames, rolePolicies } from '../../../src/policy-migration/domain/policy-texts.ts';

/** The entities and attributes that a tenant's policies can use, as far as these tests need them. */
const schema = `
entity User { relation: String };
entity Person;
entity Tenant;
entity Bot in [Tenant];
action read, manage appliesTo { principal: [User], resource: [Tenant, Bot] };
action sendMessage appliesTo { principal: [Person], resource: [Bot] };`;
const staticPolicies = Object.fromEntries(rolePolicies.map(({ text }, index) => [`p${index}`, text]));
const uid = (type: string, id: string) => ({ type, id });

const decide = (principal: string, action: string, relation?: string) => {
  const answer = isAuthorized({
    principal: uid(principal, 'x'),
    action: uid('Action', action),
    resource: uid('Bot', 'b'),
    context: {},
    policies: { staticPolicies },
    entities: [
      { uid: uid(principal, 'x'), attrs: relation ? { relation } : {}, parents: [] },
      { uid: uid('Bot', 'b'), attrs: {}, parents: [uid('Tenant', 't')] },
    ],
  });
  return answer.type === 'success' && answer.response.decision;
};

test('each text is one policy that is valid by the schema', () => {
  for (const { text } of rolePolicies) {
    expect(checkParsePolicySet({ staticPolicies: { one: text } })).toEqual({ type: 'success' });
  }
  const answer = validate({ schema, policies: { staticPolicies }, validationSettings: { mode: 'strict' } });
  expect(answer).toMatchObject({ type: 'success', validationErrors: [], validationWarnings: [] });
  expect(new Set(policyNames).size).toBe(rolePolicies.length);
});

test('they allow exactly the same as the roles', () => {
  expect([decide('User', 'read', 'member'), decide('User', 'manage', 'member')]).toEqual(['allow', 'deny']);
  expect([decide('User', 'read', 'admin'), decide('User', 'manage', 'admin')]).toEqual(['allow', 'allow']);
  expect([decide('User', 'read', 'stranger'), decide('Person', 'sendMessage')]).toEqual(['deny', 'allow']);
  expect([decide('Person', 'read'), decide('User', 'sendMessage', 'admin')]).toEqual(['deny', 'deny']);
});
