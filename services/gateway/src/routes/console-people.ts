import { ConsolePerson, ConsoleSessionBody } from '@botyard/contracts/console';
import { consolePaths } from '@botyard/contracts/console-paths';
import { badRequest, HttpError, notFound } from '@botyard/shared/http/errors';
import express, { Router } from 'express';
import type { Deps } from '../deps.ts';

/**
 * In development mode only, and for requests of this machine only: the sandbox's people, and a session as one of them.
 */
export function answerConsolePeople({ authenticator, console: { sandbox } }: Deps): Router {
  const router = Router();
  const admit: express.RequestHandler = (req, _res, next) => {
    if (!sandbox) throw notFound('path');
    const admitted = authenticator.withoutToken(req);
    if (admitted instanceof HttpError) throw admitted;
    next();
  };
  router.get(consolePaths.people, admit, async (_req, res) => {
    const people = (await sandbox?.listPeople()) ?? [];
    res.json(people.map((person) => ConsolePerson.parse(person)));
  });
  router.post(consolePaths.session, admit, express.json({ limit: '1kb' }), async (req, res) => {
    const { success, data } = ConsoleSessionBody.safeParse(req.body);
    if (!success) throw badRequest('send { "userId": "…" } of one of the people as JSON');
    const isKnown = (await sandbox?.listPeople())?.some(({ userId }) => userId === data.userId);
    if (!isKnown) throw notFound('person');
    res.status(201).json(await sandbox?.openSession(data.userId));
  });
  return router;
}
