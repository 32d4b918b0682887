import { randomInt } from 'node:crypto';
import type { Resources } from './access-fixture.ts';
import { newLogin } from './messenger-login.ts';

/** Parts that a body can refer to: existing things, and an unused name and bot token. */
export interface BodyParts {
  own: Resources;
  unique: string;
  botToken: string;
  /** The identifier of a person whom the platform knows and the tenant doesn't. */
  idpUserId: string;
}

/** A body that is right, for every route that makes something, and for those that change something. */
export const rightBodies: Readonly<Record<string, (parts: BodyParts) => object>> = {
  createTenant: ({ unique }) => ({ name: unique }),
  updateTenant: ({ unique }) => ({ name: unique }),
  selectTenant: ({ own: { tenantId } }) => ({ tenantId }),
  addMember: ({ idpUserId }) => ({ idpUserId, role: 'member' }),
  changeMember: () => ({ role: 'member' }),
  createInvitation: ({ unique }) => ({ email: `${unique}@people.example`, role: 'member' }),
  createBot: ({ unique }) => ({ name: unique }),
  updateBot: ({ unique }) => ({ name: unique }),
  createIntegration: ({ botToken }) => ({
    integrationType: 'messenger',
    credentials: { botToken, botName: 'Support' },
    settings: { messenger: { webhookSecretToken: 'a-secret_1' } },
  }),
  updateIntegration: () => ({ enabled: true }),
  createNote: () => ({ text: 'Calls at 5' }),
  createLabel: ({ unique }) => ({ name: unique }),
  updateLabel: ({ unique }) => ({ name: unique }),
  createCannedReply: ({ unique }) => ({ name: unique, text: 'Thank you!' }),
  updateCannedReply: ({ unique }) => ({ name: unique }),
  createEvaluationSet: ({ own: { id }, unique }) => ({ name: unique, agentId: id }),
  updateEvaluationSet: ({ own: { id }, unique }) => ({ name: unique, agentId: id }),
  createEvaluationCase: ({ unique }) => ({ name: unique, messages: [{ role: 'user', text: 'Hello' }] }),
  updateEvaluationCase: ({ unique }) => ({ name: unique, messages: [{ role: 'user', text: 'Hello' }] }),
  createEvaluationRun: ({ own: { setId } }) => ({ setId }),
  markEvaluationResult: () => ({ side: 'candidate', mark: 'good' }),
  importEvaluationCases: () => ({ format: 'csv', text: 'message,contains\nWhen do you open?,10' }),
  createMailDomain: ({ unique }) => ({ domain: `${unique}.example` }),
  createPlatformBot: ({ unique }) => ({ name: unique }),
  updatePlatformBot: ({ unique }) => ({ name: unique }),
  createPlatformIntegration: ({ botToken }) => ({
    integrationType: 'messenger',
    credentials: { botToken, botName: 'Support' },
  }),
  updatePlatformIntegration: () => ({ enabled: true }),
  createAgentDefinition: ({ unique }) => ({
    name: unique,
    instructions: 'Help.',
    provider: 'openai',
    model: 'any',
    keywords: ['help'],
    description: 'Helps.',
  }),
  updateAgentDefinition: ({ unique }) => ({ name: unique }),
  saveAgentDraft: ({ unique }) => ({ base: 1, name: unique }),
  startAgentRelease: () => ({ version: 1, share: 5 }),
  makeAgentDraftLive: () => ({ note: 'Kinder words.' }),
  createToolDefinition: ({ unique }) => ({
    name: unique,
    kind: 'http_get',
    description: 'Reads prices.',
    settings: { hosts: ['example.com'] },
  }),
  updateToolDefinition: ({ unique }) => ({ name: unique }),
  createCapabilityDefinition: ({ unique }) => ({
    name: unique,
    description: 'Knows prices.',
    instructions: 'Look them up.',
    keywords: ['price'],
  }),
  updateCapabilityDefinition: ({ unique }) => ({ name: unique }),
  previewTriage: ({ own: { id } }) => ({ message: 'Hello', agentIds: [id] }),
  updateAgentStatus: () => ({ enabled: true }),
  tryAgent: () => ({
    messages: [{ role: 'user', text: 'Hello' }],
    draft: { instructions: 'Be kind.', provider: 'private-llm', model: 'any' },
  }),
  createAssignment: ({ own: { botId, id }, unique }) => ({
    botId,
    agentId: id,
    where: { kind: 'private' },
    when: { keywords: [unique], language: 'en' },
    priority: 1,
  }),
  updateAssignment: () => ({ priority: 2 }),
  updateBotGroup: () => ({ answersWhen: 'addressed', topics: ['7'], name: 'Group' }),
  createApp: ({ unique }) => ({ name: unique, description: 'Helps.' }),
  updateApp: ({ unique }) => ({ name: unique }),
  installApp: ({ unique }) => ({ templateId: 'faq', name: unique }),
  createAppBinding: ({ own: { botId } }) => ({ botId, where: { kind: 'private' }, priority: 1 }),
  updateAppDraft: () => ({ spec: { specVersion: 1, recordTypes: [openQuestion] } }),
  publishApp: () => ({}),
  rollbackApp: () => ({ version: 1 }),
  createAppRecord: ({ unique }) => ({ type: openQuestion.name, fields: { question: unique } }),
  updateAppRecord: ({ unique }) => ({ fields: { question: unique } }),
  executeSpecRoutes: () => ({ limit: 1 }),
  initializeQuota: () => ({ limits: { messages: 1000 }, period: 'month' }),
  resetQuota: () => ({ limits: { messages: 1000 } }),
  createKey: () => ({ provider: 'openai', apiKey: 'sk-0123456789abcdef', keyType: 'byok' }),
  createIdpOrganization: ({ idpUserId, unique }) => ({ name: unique, createdBy: idpUserId }),
  updateIdpOrganization: ({ unique }) => ({ name: unique }),
  addIdpMembership: ({ idpUserId }) => ({ idpUserId, role: 'member' }),
  changeIdpMembership: () => ({ role: 'member' }),
  createPolicy: ({ unique }) => ({
    name: unique,
    text: 'forbid(principal, action, resource) when { false };',
  }),
  updatePolicy: ({ unique }) => ({ name: unique }),
  validatePolicy: () => ({ text: 'permit(principal, action, resource);' }),
  linkIdentity: () => ({ platform: 'messenger', login: newLogin() }),
  completeMessengerLogin: () => ({ state: 'unknown', login: newLogin() }),
  createMute: ({ own: { botId } }) => ({
    botId,
    platform: 'messenger',
    platformUserId: someNumber(),
    reason: 'Spam',
  }),
  updateMute: () => ({ reason: 'Spam' }),
  updateChatRules: () => ({ channels: 'all', privateChats: 'all' }),
  createChannelGrant: ({ own: { botId } }) => ({
    botId,
    platform: 'messenger',
    platformChatId: `-${someNumber()}`,
  }),
  createPrivateChatGrant: ({ own: { botId } }) => ({
    botId,
    platform: 'messenger',
    platformUserId: someNumber(),
  }),
  connectToolkit: () => ({ toolkit: 'mail', redirect: 'https://app.example.com/done' }),
  verifyConnection: ({ own: { connectionId } }) => ({ connectionId }),
  putAccessRule: () => ({ effect: 'approval', toolkit: 'mail', note: 'Look first' }),
  putAccessGroup: ({ unique }) => ({ name: unique, kind: 'tools', members: ['MAIL_SEND'] }),
  createToolServer: ({ unique }) => ({ name: unique, url: 'https://mcp.example.com/mcp' }),
  updateToolServer: ({ unique }) => ({ name: unique }),
  putServerTool: () => ({ isAllowed: true, pin: '0'.repeat(64) }),
  tryServerTool: () => ({ arguments: {}, pin: '0'.repeat(64) }),
  putPrivateLlm: () => ({ model: 'any' }),
  approveTicket: () => ({ note: 'Fine' }),
  rejectTicket: () => ({ note: 'No' }),
  putPlatformToolkits: () => ({ toolkits: null }),
  putTenantToolSettings: () => ({ enabled: true }),
  authorizeThread: () => ({ kind: 'sender' }),
  createSenderGrant: ({ own: { botId }, unique }) => ({
    botId,
    kind: 'sender',
    value: `${unique}@people.example`,
  }),
  liftBounce: () => ({ address: 'nobody@nowhere.example' }),
  takeOverChat: () => ({}),
  writeMessage: () => ({ text: 'Hello' }),
  updateArchiveConfig: () => ({ archiveAfterDays: 30, trimAfterDays: 60 }),
  startArchive: ({ own: { botId } }) => ({ botId, before: '2020-01-01T00:00:00Z' }),
  startTrim: () => ({ before: '2020-01-01T00:00:00Z' }),
  requestErasure: () => ({ platform: 'messenger', platformUserId: someNumber() }),
  createEdge: ({ own: { userId }, unique }) => ({
    subject: `user:${userId}`,
    relation: 'member',
    object: `group:${unique}`,
  }),
  checkEdge: ({ own: { userId, tenantId } }) => ({
    subject: `user:${userId}`,
    relation: 'member',
    object: `tenant:${tenantId}`,
  }),
};

const openQuestion = {
  name: 'open_question',
  fields: [{ name: 'question', type: 'text', required: true }],
};

const someNumber = (): string => String(randomInt(1e9, 1e10));
