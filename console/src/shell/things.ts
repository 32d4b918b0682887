import type { NavigateOptions } from '@tanstack/react-router';
import { api } from '../api/api.ts';

/** An item of the tenant that has its own page or appears on one. */
export interface Thing {
  id: string;
  name: string;
  about: string;
  place: NavigateOptions;
}

interface Wanted {
  tenantId: string;
  text: string;
  signal: AbortSignal;
}

/** A kind of item, and how to find items by name. */
interface Kind {
  title: string;
  /** True if the API can't search this kind. All its items are then read once, and `text` is ignored. */
  isWhole?: boolean;
  /** The page on which such items are: its readers may list them. */
  page: string;
  find: (wanted: Wanted) => Promise<readonly Thing[]>;
}

/** The maximum number of items shown per kind. */
export const maxThings = 5;
/** The maximum number of items read of a kind that the API can't search. */
const maxWhole = 500;

const limit = maxThings;

export const kinds: readonly Kind[] = [
  {
    title: 'Chats',
    page: '/inbox',
    find: async ({ text, signal }) => {
      const chats = await api.get('/api/interactions/chats', {
        signal,
        params: { query: { q: text, limit, sort: '-lastMessageAt' } },
      });
      return chats.map(({ chatId, title, people, botName, platform, lastMessage }) => ({
        id: chatId,
        name: title || people.map(({ name }) => name).join(', ') || 'Untitled chat',
        about: lastMessage?.text ? `${botName ?? platform}: ${lastMessage.text}` : (botName ?? platform),
        place: { to: '/inbox/$chatId', params: { chatId } },
      }));
    },
  },
  {
    title: 'Agents',
    page: '/agents',
    find: async ({ text, signal }) => {
      const agents = await api.get('/api/definitions/agents', {
        signal,
        params: { query: { q: text, limit } },
      });
      return agents.map(({ id, name, description }) => ({
        id,
        name,
        about: description,
        place: { to: '/agents/$agentId', params: { agentId: id } },
      }));
    },
  },
  {
    title: 'Bots',
    page: '/bots',
    isWhole: true,
    find: async ({ tenantId, signal }) => {
      const bots = await api.get('/api/bots', { signal, params: { query: { tenantId, limit: maxWhole } } });
      return bots.map(({ botId, name }) => ({
        id: botId,
        name,
        about: '',
        place: { to: '/bots/$botId', params: { botId } },
      }));
    },
  },
  {
    title: 'Apps',
    page: '/apps',
    isWhole: true,
    find: async ({ signal }) => {
      const apps = await api.get('/api/admin/apps', { signal, params: { query: { limit: maxWhole } } });
      return apps.map(({ appId, name, description }) => ({
        id: appId,
        name,
        about: description,
        place: { to: '/apps/$appId', params: { appId } },
      }));
    },
  },
  {
    title: 'People',
    page: '/people',
    find: async ({ tenantId, text, signal }) => {
      const people = await api.get('/api/bots/tenants/{tenantId}/members', {
        signal,
        params: { path: { tenantId }, query: { q: text, limit } },
      });
      return people.map(({ userId, name, email, role }) => ({
        id: userId,
        name: name ?? email ?? '',
        about: `${email ?? ''} ${role}`,
        place: { to: '/people', search: { q: email ?? name ?? undefined } },
      }));
    },
  },
  {
    title: 'Keys',
    page: '/keys',
    find: async ({ tenantId, text, signal }) => {
      const keys = await api.get('/api/keys/{tenantId}', {
        signal,
        params: { path: { tenantId }, query: { q: text, limit } },
      });
      return keys.map(({ keyId, provider, maskedKey, scopeType }) => ({
        id: keyId,
        name: `${provider} ${maskedKey}`,
        about: `${scopeType} key`,
        place: { to: '/keys', search: { q: maskedKey.slice(-4) } },
      }));
    },
  },
];
