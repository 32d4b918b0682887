import { createServer, Agent, request } from 'node:http';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { startFakeIdp } from '/work/main/libs/shared/src/testing/fake-idp.ts';
import { generateIdentityKeys } from '/work/main/libs/shared/src/auth/identity.ts';
const body = JSON.stringify({ x: 'y'.repeat(320) });
const up = createServer((q, r) => { r.setHeader('content-type', 'application/json'); r.end(body); }).listen(0, '127.0.0.1');
await new Promise((r) => up.once('listening', r));
const url = `http://127.0.0.1:${up.address().port}`;
const idp = await startFakeIdp();
const { signingKey } = await generateIdentityKeys();
const env = { PATH: process.env.PATH, NODE_ENV: 'test', LOG_LEVEL: process.env.LL ?? 'info', PORT: '3999', IDENTITY_SIGNING_KEY: signingKey, IDP_ISSUER: idp.issuer, TENANCY_URL: url, KEYS_URL: url, USAGE_URL: url, WEBHOOKS_URL: url, AGENTS_URL: url };
const child = spawn(process.execPath, [...(process.env.PROF ? ['--cpu-prof', '--cpu-prof-dir=/tmp/prof'] : []), process.env.MAIN ?? '/work/main/services/gateway/src/main.ts'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
await new Promise((r) => setTimeout(r, 1500));
const cpu = () => { const f = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' '); return (Number(f[11]) + Number(f[12])) / 100; };
const token = await idp.sessionToken({ userId: 'u', expiresInSeconds: 600 });
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const get = (base) => new Promise((ok, no) => { const t = performance.now(); request(`${base}/api/bots/x`, { agent, headers: { authorization: `Bearer ${token}` } }, (r) => { if (r.statusCode !== 200) no(new Error(r.statusCode)); r.resume(); r.on('end', () => ok(performance.now() - t)); }).on('error', no).end(); });
async function run(base, n, c = 32) { const l = []; let left = n; const t0 = performance.now(); const c0 = cpu(); await Promise.all(Array.from({ length: c }, async () => { while (left-- > 0) l.push(await get(base)); })); const s = (performance.now() - t0) / 1000; l.sort((a, b) => a - b); return { n: l.length, rps: Math.round(l.length / s), p50: l[l.length >> 1].toFixed(2), p99: l[Math.floor(l.length * .99)].toFixed(2), cpuPer1000: ((cpu() - c0) / l.length * 1000).toFixed(3) }; }
const gw = 'http://127.0.0.1:3999';
await run(gw, 3000);
for (let i = 0; i < 3; i++) { console.log('gateway', await run(gw, 10000)); console.log('direct ', await run(url, 10000)); }
console.log('one at a time', await run(gw, 2000, 1), 'RSS MB', Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024));
child.kill('SIGTERM'); await new Promise((r) => child.once('exit', r)); process.exit(0);
