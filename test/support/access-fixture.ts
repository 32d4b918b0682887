import { randomInt, randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { startFakeTools } from '@botyard/testing/fake/fake-tools';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { anonymous, user } from '@botyard/testing/test-call';
import { createChat, sendMessage } from './create-chat.ts';
import { createEvaluation, createKept, createRelease } from './kept-resources.ts';
import { createMail } from './mail.ts';
import { newLogin } from './messenger-login.ts';
import { startServices } from './start-services.ts';
import { createToolResources } from './tool-resources.ts';

/** Values of the path parameters, by their names: one real resource of each kind. */
export type Resources = Readonly<Record<string, string>>;

/** Path parameters that aren't resources, and are the same for everybody. */
export const pathWords = {
  provider: 'openai',
  version: '1',
  templateId: 'faq',
  domain: 'mail.acme.example',
  integrationType: 'messenger',
};

/** Everybody who may call, from nobody to the platform's operator. */
export const callerKinds = [
  'no identity',
  'anonymous',
  'stranger',
  'member',
  'responder',
  'admin',
  'removed admin',
  'admin of another tenant',
  'operator',
] as const;
export type CallerKind = (typeof callerKinds)[number];

/** The real services, two tenants with people, and something of everything in each. */
export interface AccessFixture {
  services: Readonly<Record<string, TestService>>;
  callers: Readonly<Record<CallerKind, Identity | null>>;
  own: Resources;
  other: Resources;
  /** The platform's own resources. */
  platform: Resources;
  /** More of the own tenant: another of each kind. */
  sibling: Resources;
  harness: ServiceHarness;
  /** `idpUserId` of somebody who was seen once and belongs to no tenant. */
  outsider: string;
  /** A token that the messenger knows and no integration uses. */
  newBotToken(): string;
  close(): Promise<void>;
}

export async function openAccessFixture(): Promise<AccessFixture> {
  const [harness, messenger, idp, tools] = await Promise.all([
    ServiceHarness.open(),
    startFakeMessenger(),
    startFakeIdp(),
    startFakeTools(),
  ]);
  const services = await startServices(harness, { messenger, idp, tools });
  const [acme, globex] = await Promise.all([
    createTenantWithPeople(harness, services.tenancy),
    createTenantWithPeople(harness, services.tenancy),
  ]);
  // An operator belongs to no tenant: routes in the active tenant require a selected one.
  await callOk(services.tenancy, acme.operator, '/api/tenant/select', { tenantId: acme.tenantId }, 200);
  const removedAdmin = await createRemovedAdmin(services.tenancy, acme);
  const [own, other, platform] = await Promise.all([
    createResources(harness, services, messenger, acme),
    createResources(harness, services, messenger, globex),
    createPlatformResources(services.tenancy, messenger, acme.operator),
  ]);
  const responder = await createResponder(harness, services.tenancy, { ...acme, chatId: own.chatId ?? '' });
  for (const { tenantId, admin } of [acme, globex]) {
    const limits = { messages: 1_000_000 };
    await callOk(services.usage, admin, `/api/usage/${tenantId}/quota/initialize`, { limits });
    // Many may claim a domain as long as nobody has proven it.
    await callOk(services.tenancy, admin, '/api/platforms/mail-domains', { domain: pathWords.domain });
  }
  return {
    services,
    harness,
    outsider: (await newPerson(services.tenancy, idp.addUser().id)).idpUserId,
    sibling: {
      ...(await createResources(harness, services, messenger, acme)),
      ...createIdpResources(idp),
    },
    newBotToken: () => newBotToken(messenger),
    own: { ...own, ...createIdpResources(idp) },
    other: { ...other, ...createIdpResources(idp) },
    platform,
    callers: {
      'no identity': null,
      anonymous,
      stranger: acme.stranger,
      member: acme.member,
      responder,
      admin: acme.admin,
      'removed admin': removedAdmin,
      'admin of another tenant': globex.admin,
      operator: acme.operator,
    },
    close: async () => {
      await harness.close();
      await Promise.all([messenger.close(), idp.close(), tools.close()]);
    },
  };
}

/** One resource of each kind that a path can name, made as the tenant's admin makes it. */
async function createResources(
  harness: ServiceHarness,
  services: Awaited<ReturnType<typeof startServices>>,
  messenger: FakeMessenger,
  { tenantId, admin }: People,
): Promise<Resources> {
  const { tenancy, keys, agents } = services;
  const bots = `/api/bots/${tenantId}`;
  const { botId = '' } = await callOk(tenancy, admin, `${bots}/bots`, { name: 'Support' });
  const integrationId = await connect(tenancy, messenger, admin, `${bots}/${botId}/integrations`);
  await callOk(tenancy, admin, `${bots}/${botId}/integrations`, {
    integrationType: 'email',
    credentials: { address: `${randomUUID()}@bots.example` },
  });
  const { keyId = '' } = await callOk(keys, admin, `/api/keys/${tenantId}`, {
    provider: 'openai',
    apiKey: 'sk-0123456789abcdef',
  });
  const { id = '' } = await callOk(agents, admin, '/api/definitions/agents', {
    name: 'Guide',
    instructions: 'Help.',
    provider: 'openai',
    model: 'any',
  });
  const unpublishedId = await createDefinitions(harness, agents, { admin, id });
  const draft = { as: admin, body: { base: 1, instructions: 'Help kindly.' } };
  await agents.call('PUT', `/api/definitions/agents/${id}/draft`, draft);
  const said = await createChat(harness, tenantId);
  const routing = await createRouting(harness, services, { tenantId, admin });
  const document = { title: 'House rules', text: `Once only: ${randomUUID()}` };
  const { sourceId = '' } = await callOk(agents, admin, '/api/context-sources', document, 202);
  const login = { login: newLogin() };
  const { linkId = '' } = await callOk(tenancy, admin, '/api/identity-links', login);
  const userId = await addPerson(tenancy, admin, tenantId);
  const { edgeId = '' } = await callOk(tenancy, admin, '/api/authorization-edges', {
    subject: `user:${userId}`,
    relation: 'member',
    object: 'group:friends',
  });
  const { policyId = '' } = await callOk(tenancy, admin, '/api/auth/policies', {
    name: `Nobody is called so ${randomUUID()}`,
    text: 'forbid(principal is Person, action, resource) when { principal.name == "Nobody" };',
  });
  const { invitationId = '' } = await callOk(tenancy, admin, `/api/bots/tenants/${tenantId}/invitations`, {
    email: `${randomUUID()}@people.example`,
    role: 'member',
  });
  const chatRules = await createChatRules(harness, tenancy, { tenantId, admin });
  const made = {
    ...(await createMail(harness, { tenantId, botId, ...chatRules })),
    ...(await createToolResources(harness, agents, { tenantId, admin, personId: said.personId })),
    ...(await createApp(services, { tenantId, admin })),
    ...(await createKept(harness, tenantId)),
    ...(await createRelease(harness, { tenantId, id })),
    ...(await createInbox(agents, { admin, chatId: said.chatId })),
    ...(await createEvaluation({ agents, harness }, { admin, agentId: routing.agentId ?? '' })),
  };
  const more = {
    ...made,
    userId,
    edgeId,
    policyId,
    invitationId,
    unpublishedId,
    linkId,
    ...chatRules,
    ...routing,
  };
  const words = { provider: 'openai', serviceName: 'usage', collectionName: 'tenancy.tenants' };
  return { tenantId, botId, integrationId, keyId, id, ...said, sourceId, ...more, ...words };
}

/**
 * A capability and a tool that are named in a path as the agent is, by `id`; and one more of each kind that is never
 * published, so that only its tenant can copy it.
 */
async function createDefinitions(
  harness: ServiceHarness,
  agents: TestService,
  { admin, id }: Pick<People, 'admin'> & { id: string },
): Promise<string> {
  const path = '/api/definitions';
  const agent = { name: 'Guide', instructions: 'Help.', provider: 'openai', model: 'any' };
  const create = async () => [
    await callOk(agents, admin, `${path}/capabilities`, { name: 'Sums' }),
    await callOk(agents, admin, `${path}/tools`, { name: `n-${randomUUID()}`, kind: 'calculator' }),
  ];
  const { id: unpublishedId = '' } = await callOk(agents, admin, `${path}/agents`, agent);
  for (const wantedId of [id, unpublishedId]) {
    const [capability, tool] = await create();
    for (const [table, made] of [
      ['capability_definitions', capability],
      ['tool_definitions', tool],
    ] as const) {
      await harness.asOwner(`update agents.${table} set id = $1 where id = $2`, [wantedId, made?.id]);
    }
  }
  return unpublishedId;
}

/** An agent that is assigned to a bot, and a group in which that bot was spoken to; both outlive the walk. */
async function createRouting(
  harness: ServiceHarness,
  { tenancy, agents }: Awaited<ReturnType<typeof startServices>>,
  { tenantId, admin }: Pick<People, 'tenantId' | 'admin'>,
): Promise<Resources> {
  const { botId = '' } = await callOk(tenancy, admin, `/api/bots/${tenantId}/bots`, { name: 'Routed' });
  const { id: agentId = '' } = await callOk(agents, admin, '/api/definitions/agents', {
    name: 'Specialist',
    instructions: 'Help.',
    provider: 'openai',
    model: 'any',
  });
  const assignment = { botId, agentId };
  const { assignmentId = '' } = await callOk(agents, admin, '/api/bot-assignment', assignment);
  const platformChatId = `-100${randomInt(1e9, 1e10)}`;
  await sendMessage(harness, { tenantId, botId, chat: { platformChatId, kind: 'group', title: 'Group' } });
  const [group] = await harness.asOwner<{ group_id: string }>(
    'select group_id from agents.bot_groups where bot_id = $1',
    [botId],
  );
  if (!group) throw new Error('the message made no group');
  return { agentId, assignmentId, groupId: group.group_id };
}

/** An app that runs, bound to a bot that outlives the walk, with a record. */
async function createApp(
  { tenancy, agents }: Awaited<ReturnType<typeof startServices>>,
  { tenantId, admin }: Pick<People, 'tenantId' | 'admin'>,
): Promise<Resources> {
  const { botId = '' } = await callOk(tenancy, admin, `/api/bots/${tenantId}/bots`, { name: 'Served' });
  const path = '/api/admin/apps';
  const installed = await callOk(agents, admin, `${path}/install`, { templateId: 'faq', botId });
  const { appId = '' } = installed;
  const { bindingId = '' } = await callOk(agents, admin, `${path}/${appId}/bindings`, {
    botId,
    where: { kind: 'private' },
  });
  const record = { type: 'open_question', fields: { question: 'Who?' } };
  const { recordId = '' } = await callOk(agents, admin, `${path}/${appId}/records`, record);
  // So that it can be deleted when its bindings are.
  const [first] = installed.bindings as unknown as { bindingId: string }[];
  await agents.call('DELETE', `${path}/${appId}/bindings/${first?.bindingId}`, { as: admin });
  return { appId, bindingId, recordId };
}

/**
 * A mute and a grant of each kind, of a bot that outlives the walk; both kinds of grant have the same name in a path.
 */
async function createChatRules(
  harness: ServiceHarness,
  tenancy: TestService,
  { tenantId, admin }: Pick<People, 'tenantId' | 'admin'>,
): Promise<{ muteId: string; grantId: string }> {
  const { botId = '' } = await callOk(tenancy, admin, `/api/bots/${tenantId}/bots`, { name: 'Strict' });
  const person = { platform: 'messenger', platformUserId: String(randomInt(1e9, 1e10)) };
  const { muteId = '' } = await callOk(tenancy, admin, '/api/auth/moderation', person);
  const channel = { botId, platform: 'messenger', platformChatId: `-100${randomInt(1e9, 1e10)}` };
  const { grantId = '' } = await callOk(tenancy, admin, '/api/auth/channel-grants', channel);
  const granted = await callOk(tenancy, admin, '/api/auth/private-chat-grants', { botId, ...person });
  await harness.asOwner('update tenancy.private_chat_grants set grant_id = $1 where grant_id = $2', [
    grantId,
    granted.grantId,
  ]);
  return { muteId, grantId };
}

/** A note about a chat, a label and a canned reply. */
async function createInbox(
  agents: TestService,
  { admin, chatId }: { admin: Identity; chatId: string },
): Promise<Resources> {
  const path = '/api/interactions';
  const name = randomUUID();
  const { noteId = '' } = await callOk(agents, admin, `${path}/chats/${chatId}/notes`, {
    text: 'Calls at 5',
  });
  const { labelId = '' } = await callOk(agents, admin, `${path}/labels`, { name });
  const reply = { name, text: 'Thank you!' };
  const { cannedReplyId = '' } = await callOk(agents, admin, `${path}/canned-replies`, reply);
  return { noteId, labelId, cannedReplyId };
}

/** A user and an organization of the identity provider, tied to each other. */
function createIdpResources(idp: FakeIdp): Resources {
  const { id: idpUserId } = idp.addUser();
  const { id: idpOrgId } = idp.addOrganization();
  idp.addMembership({ userId: idpUserId, orgId: idpOrgId });
  return { idpUserId, idpOrgId };
}

async function createPlatformResources(
  tenancy: TestService,
  messenger: FakeMessenger,
  operator: Identity,
): Promise<Resources> {
  const path = '/api/bots/superadmin';
  const { botId = '' } = await callOk(tenancy, operator, `${path}/bots`, { name: 'Platform' });
  const integrationId = await connect(tenancy, messenger, operator, `${path}/${botId}/integrations`);
  return { botId, integrationId };
}

/** Connects a bot to the messenger, and returns the integration's id. */
async function connect(
  tenancy: TestService,
  messenger: FakeMessenger,
  as: Identity,
  path: string,
): Promise<string> {
  const botToken = newBotToken(messenger);
  const { integrationId = '' } = await callOk(tenancy, as, path, {
    integrationType: 'messenger',
    credentials: { botToken, botName: 'Support' },
  });
  return integrationId;
}

function newBotToken(messenger: FakeMessenger): string {
  const token = `${randomInt(1e8, 1e9)}:${'a'.repeat(35)}`;
  messenger.addBot({ token });
  return token;
}

/** A member who calls nothing, so that their membership may end during the walk. */
async function addPerson(tenancy: TestService, admin: Identity, tenantId: string): Promise<string> {
  const { userId } = await newPerson(tenancy);
  await callOk(tenancy, admin, `/api/bots/tenants/${tenantId}/members`, { userId, role: 'member' });
  return userId;
}

async function newPerson(
  tenancy: TestService,
  idpUserId = `user_${randomUUID()}`,
): Promise<{ userId: string; idpUserId: string }> {
  const { body } = await tenancy.call('GET', '/api/current-user', { as: user(idpUserId) });
  return body as { userId: string; idpUserId: string };
}

/** Was an admin, acted as one, and is nobody any more. */
async function createRemovedAdmin(tenancy: TestService, { tenantId, admin }: People): Promise<Identity> {
  const removed = user(`user_removed_${randomUUID()}`);
  const { body } = await tenancy.call('GET', '/api/current-user', { as: removed });
  const { userId } = body as { userId: string };
  await callOk(tenancy, admin, `/api/bots/tenants/${tenantId}/members`, { userId, role: 'admin' });
  await callOk(tenancy, removed, '/api/tenant/select', { tenantId }, 200);
  const answer = await tenancy.call('DELETE', `/api/bots/tenants/${tenantId}/members/${userId}`, {
    as: admin,
  });
  if (answer.status !== 204) throw new Error(`the admin was not removed: ${answer.text}`);
  return removed;
}

/** Answers the chats of one bot, which the chat belongs to from now on, and has no role in the tenant. */
async function createResponder(
  harness: ServiceHarness,
  tenancy: TestService,
  { tenantId, admin, chatId }: Pick<People, 'tenantId' | 'admin'> & { chatId: string },
): Promise<Identity> {
  const { userId, idpUserId } = await newPerson(tenancy);
  const { botId = '' } = await callOk(tenancy, admin, `/api/bots/${tenantId}/bots`, { name: 'Answered' });
  await callOk(tenancy, admin, '/api/authorization-edges', {
    subject: `user:${userId}`,
    relation: 'responder',
    object: `bot:${botId}`,
  });
  await harness.asOwner('update agents.conversations set bot_id = $1 where chat_id = $2', [botId, chatId]);
  return user(idpUserId);
}

async function callOk(
  service: TestService,
  as: Identity,
  path: string,
  body: unknown,
  status = 201,
): Promise<Record<string, string>> {
  const answer = await service.call('POST', path, { as, body });
  if (answer.status !== status) throw new Error(`POST ${path} answered ${answer.status} ${answer.text}`);
  return answer.body as Record<string, string>;
}
