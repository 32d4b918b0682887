/** Ends with 0 while the service in this container is ready. */
const port = process.env.SERVICE_PORT ?? '8080';
const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
process.exitCode = answer?.ok ? 0 : 1;
