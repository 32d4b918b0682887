import { createHash } from 'node:crypto';
import { type Handler, listenOnLoopback, readBody } from '@botyard/testing/fake/fake-server';
import { AwsV4Signer } from 'aws4fetch';

export interface FakeS3 {
  /** With the bucket in its path. */
  url: string;
  objects: Map<string, Buffer>;
  /** The next answers have this status and no effect. */
  failWith(status: number | undefined): void;
  close(): Promise<void>;
}

export const s3Keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

/** A store that implements the part of S3 that is used here, and checks the credentials and the content. */
export async function startFakeS3(region = 'us-east-1'): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  let failure: number | undefined;
  const handler: Handler = async (req, res) => {
    const body = await readBody(req);
    const url = `http://${req.headers.host}${req.url}`;
    const answer = (status: number, content?: Buffer) => res.writeHead(status).end(content);
    if (failure !== undefined) return void answer(failure);
    const isSigned =
      (await signatureOf(req.method ?? '', url, req.headers, region)) === req.headers.authorization;
    if (!isSigned) return void answer(403);
    const key = new URL(url).pathname;
    const object = objects.get(key);
    if (req.method === 'PUT') {
      const isWhole = req.headers['x-amz-content-sha256'] === createHash('sha256').update(body).digest('hex');
      if (!isWhole || Number(req.headers['content-length']) !== body.length) return void answer(400);
      objects.set(key, body);
      return void answer(200);
    }
    if (req.method === 'DELETE') {
      objects.delete(key);
      return void answer(204);
    }
    return void (object ? answer(200, object) : answer(404));
  };
  const { origin, close } = await listenOnLoopback(handler);
  const failWith = (status: number | undefined) => {
    failure = status;
  };
  return { url: `${origin}/bucket`, objects, failWith, close };
}

/** Computed from the received request. */
async function signatureOf(
  method: string,
  url: string,
  headers: Record<string, string | string[] | undefined>,
  region: string,
): Promise<string | undefined> {
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(String(headers.authorization)) ?? [];
  const signed = names.split(';').filter((name) => name !== 'host');
  const signer = new AwsV4Signer({
    method,
    url,
    ...s3Keys,
    service: 's3',
    region,
    datetime: String(headers['x-amz-date']),
    headers: Object.fromEntries(signed.map((name) => [name, String(headers[name])])),
    allHeaders: false,
  });
  return (await signer.sign()).headers.get('authorization') ?? undefined;
}
