/**
 * Headers that proxies, tunnels, content networks and development servers add to the requests that they pass on, with
 * documentation of each. A name that ends with `*` is a prefix. Programs on this machine, such as `curl` and browsers,
 * send none of them. Headers of tracing aren't listed, because local programs send them, too.
 */
interface ProxyHeaders {
  by: string;
  source: string;
  headers: readonly string[];
}

export const proxyHeaders: readonly ProxyHeaders[] = [
  {
    by: 'RFC 7239',
    source: 'https://www.rfc-editor.org/rfc/rfc7239',
    headers: ['forwarded', 'forwarded-*'],
  },
  {
    by: 'RFC 9110',
    source: 'https://www.rfc-editor.org/rfc/rfc9110',
    headers: ['via', 'max-forwards'],
  },
  {
    by: 'RFC 8470',
    source: 'https://www.rfc-editor.org/rfc/rfc8470',
    headers: ['early-data'],
  },
  {
    by: 'most proxies, tunnels and development servers',
    source: 'https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/X-Forwarded-For',
    headers: ['x-forwarded', 'x-forwarded-*'],
  },
  {
    by: 'ingress-nginx',
    source: 'https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/configmap/',
    headers: ['x-real-ip', 'x-real-*', 'x-scheme', 'x-original-*'],
  },
  {
    by: 'Traefik',
    source: 'https://doc.traefik.io/traefik/middlewares/http/replacepath/',
    headers: ['x-replaced-path'],
  },
  {
    by: 'HAProxy',
    source: 'https://docs.haproxy.org/3.2/configuration.html',
    headers: ['x-unique-id'],
  },
  {
    by: 'Envoy',
    source: 'https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers',
    headers: ['x-envoy-*'],
  },
  {
    by: 'Apache httpd',
    source: 'https://httpd.apache.org/docs/2.4/mod/mod_remoteip.html',
    headers: ['x-client-ip'],
  },
  {
    by: 'Squid and other forward proxies',
    source: 'https://www.squid-cache.org/Doc/config/forwarded_for/',
    headers: ['x-cache*', 'proxy-*'],
  },
  {
    by: 'Varnish',
    source: 'https://varnish-cache.org/docs/trunk/reference/vcl.html',
    headers: ['x-varnish*'],
  },
  {
    by: 'Cloudflare, cloudflared, Akamai',
    source: 'https://developers.cloudflare.com/fundamentals/reference/http-headers/',
    headers: ['cf-*', 'cdn-loop', 'true-client-ip'],
  },
  {
    by: 'Fastly',
    source: 'https://www.fastly.com/documentation/reference/http/http-headers/Fastly-Client-IP/',
    headers: ['fastly-*'],
  },
  {
    by: 'ngrok',
    source: 'https://ngrok.com/docs/http/oauth/',
    headers: ['ngrok-*'],
  },
  {
    by: 'localtunnel',
    source: 'https://github.com/localtunnel/localtunnel',
    headers: ['bypass-tunnel-reminder'],
  },
  {
    by: 'dev tunnels, port forwarding of VS Code and GitHub',
    source: 'https://learn.microsoft.com/azure/developer/dev-tunnels/security',
    headers: ['x-tunnel-*'],
  },
  {
    by: 'Tailscale Serve and Funnel',
    source: 'https://tailscale.dev/blog/id-headers-tailscale-serve-flask',
    headers: ['tailscale-*'],
  },
  {
    by: 'Fly',
    source: 'https://fly.io/docs/networking/request-headers/',
    headers: ['fly-*'],
  },
  {
    by: 'Heroku',
    source: 'https://devcenter.heroku.com/articles/http-routing',
    headers: ['x-request-start', 'connect-time', 'total-route-time'],
  },
  {
    by: 'Vercel',
    source: 'https://vercel.com/docs/headers/request-headers',
    headers: ['x-vercel-*'],
  },
  {
    by: 'Netlify',
    source: 'https://docs.netlify.com/manage/routing/redirects/rewrites-proxies/',
    headers: ['x-nf-*'],
  },
  {
    by: 'AWS load balancers',
    source:
      'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-request-tracing.html',
    headers: ['x-amzn-*'],
  },
  {
    by: 'AWS CloudFront',
    source:
      'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/adding-cloudfront-headers.html',
    headers: ['x-amz-*', 'cloudfront-*'],
  },
  {
    by: 'Google App Engine and load balancing',
    source: 'https://cloud.google.com/appengine/docs/flexible/reference/request-headers',
    headers: ['x-cloud-trace-context', 'x-appengine-*', 'x-google-*'],
  },
  {
    by: 'Google Identity-Aware Proxy',
    source: 'https://cloud.google.com/iap/docs/identity-howto',
    headers: ['x-goog-*'],
  },
  {
    by: 'Azure Front Door',
    source: 'https://learn.microsoft.com/azure/frontdoor/front-door-http-headers-protocol',
    headers: ['x-azure-*', 'x-fd-*'],
  },
  {
    by: 'Azure App Service',
    source: 'https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities',
    headers: [
      'x-ms-client-principal*',
      'x-ms-token-*',
      'x-arr-*',
      'x-appgw-*',
      'x-site-deployment-id',
      'x-waws-*',
      'disguised-host',
      'was-default-hostname',
      'client-ip',
    ],
  },
  {
    by: 'DigitalOcean',
    source: 'https://github.com/mixpanel/tracking-proxy/issues/31',
    headers: ['do-connecting-ip'],
  },
  {
    by: 'Sucuri',
    source: 'https://docs.sucuri.net/website-firewall/',
    headers: ['x-sucuri-*'],
  },
  {
    by: 'authentik',
    source: 'https://docs.goauthentik.io/docs/providers/proxy',
    headers: ['x-authentik-*'],
  },
  {
    by: 'Pomerium',
    source: 'https://www.pomerium.com/docs/reference/getting-users-identity.html',
    headers: ['x-pomerium-*'],
  },
  {
    by: 'oauth2-proxy',
    source: 'https://oauth2-proxy.github.io/oauth2-proxy/configuration/overview/',
    headers: ['x-auth-request-*', 'gap-*'],
  },
  {
    by: 'Authelia',
    source: 'https://www.authelia.com/integration/trusted-header-sso/introduction/',
    headers: ['remote-user', 'remote-*'],
  },
];

const names = new Set<string>();
const prefixes: string[] = [];
for (const { headers } of proxyHeaders)
  for (const header of headers)
    if (header.endsWith('*')) prefixes.push(header.slice(0, -1));
    else names.add(header);

/** Whether a proxy, a tunnel or a development server adds a header of this name, given in lower case. */
export const isProxyHeader = (name: string): boolean =>
  names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
