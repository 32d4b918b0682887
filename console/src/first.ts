/**
 * The page's only script of its own. It is small, and begins everything that the first view waits for at once: the code
 * of the console and of the page, and the first requests. One after the other, they would take a round trip each.
 */
import './styles.css';
import type { Schema } from '@botyard/client/client';
import type { ConsoleConfig } from '@botyard/contracts/console';
import { consolePaths } from '@botyard/contracts/console-paths';
import { addressOf } from './api/address.ts';
import { sendEarly } from './api/first-requests.ts';
import { firstTenantOf, roleIn, whoAmI } from './api/first-tenant.ts';
import { tokenOf } from './api/tokens.ts';
import { activityPath, chatFiguresPath, weekQueries } from './pages/home/week-requests.ts';
import { allChats, chatsPath } from './pages/inbox/all-chats.ts';

const { origin, pathname, search } = window.location;
const searched = new URLSearchParams(search);

import('./main.tsx').catch(showThatItFailed);
if (pathname === '/') void import('./pages/home/home.tsx');
if (pathname.startsWith('/inbox')) void import('./pages/inbox/inbox.tsx');
// The page sends them again, and shows the error.
sendFirstRequests().catch(() => undefined);

/** Without its main file the console can't show anything else. */
function showThatItFailed(): void {
  const place = document.getElementById('console');
  if (!place) return;
  place.role = 'alert';
  place.className = 'p-6';
  place.textContent =
    'The console could not be loaded. Reload the page. If that fails again, tell an operator.';
}

/** With a sign-in, its library is loaded before the caller is known. */
async function sendFirstRequests(): Promise<void> {
  const config = await sendEarly(new Request(`${origin}${consolePaths.config}`));
  const { developmentMode } = (await config.json()) as ConsoleConfig;
  if (!developmentMode) return;
  const token = await tokenOf(searched.get('as') || null);
  const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` });
  const caller = await sendEarly(new Request(`${origin}${whoAmI}`, { headers }));
  if (!caller.ok) return;
  const me = (await caller.json()) as Schema<'CurrentUser'>;
  const tenantId = searched.get('tenant') || firstTenantOf(me);
  if (tenantId === null) return;
  headers.set('x-tenant-id', tenantId);
  const addresses = firstAddresses(me, tenantId);
  await Promise.all(addresses.map((address) => sendEarly(new Request(`${origin}${address}`, { headers }))));
}

/** The addresses of what the page shows first, where the caller may read it. */
function firstAddresses(me: Schema<'CurrentUser'>, tenantId: string): readonly string[] {
  const role = me.isOperator ? 'admin' : roleIn(me, tenantId);
  if (pathname === '/' && role === 'admin') {
    const { thisWeek, lastWeek, bothWeeks } = weekQueries(Date.now());
    return [
      '/api/dashboard/status',
      addressOf(chatFiguresPath, { query: thisWeek }),
      addressOf(chatFiguresPath, { query: lastWeek }),
      addressOf(activityPath, { query: bothWeeks }),
    ];
  }
  const isNarrowed = [...searched.keys()].some((name) => name !== 'as' && name !== 'tenant');
  if (/^\/inbox(?:\/[0-9a-f-]{36})?$/.test(pathname) && !isNarrowed && role !== 'member' && role !== null)
    return [addressOf(chatsPath, { query: allChats })];
  return [];
}
