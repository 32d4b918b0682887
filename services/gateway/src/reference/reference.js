/* global SwaggerUIBundle */
// Everything comes from this server; nothing is asked of anybody else.
SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  showExtensions: true,
  validatorUrl: null,
});
