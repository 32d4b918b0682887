import { z } from 'zod';
import { openOutboundFile } from '../../../media/domain/outbound-file.ts';
import { findForSend, unseen } from '../../domain/sending.ts';
import type { FileContent, FilesOut, Send, SendResult } from '../../platform.ts';
import type { CallResult } from '../clients/slack-api.ts';
import type { Deps } from '../deps.ts';
import type { SlackEndpoint } from './connection.ts';
import { resultOf, type SendDeps } from './send-message.ts';

const Address = z.object({ upload_url: z.string(), file_id: z.string() });

type FilesDeps = SendDeps & Pick<Deps, 'slackUploads' | 'objects'>;

const maxBytes = 1024 ** 3;

export const createFilesOut = (deps: FilesDeps): FilesOut => ({
  maxBytesOf: () => maxBytes,
  send: (send) => sendFile(deps, send),
});

/** Uploads the file, and shares it with the channel. People see it from the last call on. */
async function sendFile(deps: FilesDeps, send: Send<FileContent>): Promise<SendResult | undefined> {
  const { endpoints, connector, log } = deps;
  const endpoint = await findForSend(log, send.botId, () => endpoints.find(connector, send.botId));
  if ('outcome' in endpoint) return endpoint;
  const uploaded = await upload(deps, endpoint, send);
  if (typeof uploaded !== 'string') return uploaded;
  if (!(await send.mayCall())) return undefined;
  const { platformChatId, threadId, payload, signal } = send;
  const answer = await deps.slack({
    method: 'files.completeUploadExternal',
    token: endpoint.botToken,
    json: {
      files: [{ id: uploaded, title: payload.file.name }],
      channel_id: platformChatId,
      ...(threadId ? { thread_ts: threadId } : {}),
    },
    timeoutMs: 30_000,
    signal,
    answer: z.unknown(),
  });
  return resultOf(withoutTs(answer));
}

/** The identifier of the uploaded file, or the result without it. */
async function upload(
  deps: FilesDeps,
  { botToken: token }: SlackEndpoint,
  { payload: { file }, signal, mayCall }: Send<FileContent>,
): Promise<string | SendResult | undefined> {
  if (!(await mayCall())) return undefined;
  const address = await deps.slack({
    method: 'files.getUploadURLExternal',
    token,
    params: { filename: file.name, length: String(file.sizeBytes) },
    signal,
    answer: Address,
  });
  if (address.outcome !== 'ok') return unseen(resultOf(withoutTs(address)));
  const opened = await openOutboundFile(deps, file);
  if ('outcome' in opened) return opened;
  const { upload_url: url, file_id: fileId } = address.result;
  const uploaded = await deps.slackUploads(url, { ...file, content: opened.content }, signal);
  return uploaded.outcome === 'ok' ? fileId : { ...uploaded, isUnclear: false };
}

/** The platform doesn't tell which message shows the file. */
const withoutTs = <Result>(answer: CallResult<Result>): CallResult<{ ts: undefined }> =>
  answer.outcome === 'ok' ? { ...answer, result: { ts: undefined } } : answer;
