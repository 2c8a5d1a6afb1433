/** Tests uploads of files that change, fail or never arrive, and servers that answer before they have read the body. */

import { rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { api, type FileSource, fileFromDisk, type Progress } from '../../../src/platform/api.ts';
import { clientOf, sendJson } from '../../fakes/hostile-platform.ts';
import { credentials, eachWithRig, open } from './typed-client.ts';

const UPLOAD = '/v1/openapi/workspace/file/upload';
const rig = eachWithRig();

const fileOf = (size: number, open: () => AsyncIterable<Uint8Array>): FileSource => ({
  name: 'a.md',
  size,
  open,
});
/** A file whose content may differ from its stated size. */
const lying = (size: number, actual: number) =>
  fileOf(size, async function* () {
    yield new Uint8Array(actual);
  });

const upload = (file: FileSource, options = {}) =>
  rig.client.call(api.uploadFile, { workspace: 'w', file }, options);

const takes = () =>
  rig.server.on(UPLOAD, (_request, response) => sendJson(response, open({ fileId: '1', fileName: 'a.md' })));

describe('a file that does not match its stated size', () => {
  it.each([
    ['shrinks', 1000, 10, /a\.md contains 10 bytes instead of 1000/],
    ['grows', 10, 1000, /a\.md contains more than 10 bytes/],
    ['is emptied', 10, 0, /a\.md contains 0 bytes instead of 10/],
    ['is no longer empty', 0, 10, /a\.md contains more than 0 bytes/],
  ])('a file that %s during the upload ends it with a message', async (_how, size, actual, told) => {
    takes();
    const error = await upload(lying(size, actual)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'platform-parameter', message: expect.stringMatching(told) });
    expect(rig.server.paths(UPLOAD)).toEqual([]);
    expect(await upload(lying(5, 5))).toMatchObject({ fileId: '1' });
  });

  it('a changed file on disk ends the upload too', async () => {
    takes();
    const path = join(tmpdir(), `parley-shrinks-${process.pid}.md`);
    await writeFile(path, 'x'.repeat(100_000));
    const file = await fileFromDisk(path);
    await truncate(path, 50_000);
    await expect(upload(file)).rejects.toThrow(/contains 50000 bytes instead of 100000/);
    await rm(path);
    await expect(upload(file)).rejects.toMatchObject({
      code: 'platform-parameter',
      message: expect.stringMatching(/could not be read \(ENOENT\)/),
    });
  });

  it('a read error ends the upload the same way, whatever was thrown', async () => {
    takes();
    const file = fileOf(10, async function* () {
      yield new Uint8Array(5);
      throw Object.assign(new Error('the disk'), { code: 'EIO' });
    });
    await expect(upload(file)).rejects.toMatchObject({
      code: 'platform-parameter',
      message: expect.stringMatching(/a\.md could not be read \(EIO\)/),
    });
  });
});

describe('an upload', () => {
  it('a stopped upload closes its file and leaves no timer', async () => {
    let closed = false;
    const stop = new AbortController();
    const endless = fileOf(1e8, async function* () {
      try {
        for (;;) {
          yield new Uint8Array(1000);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      } finally {
        closed = true;
      }
    });
    const onProgress = ({ sent }: Progress): void => {
      if (sent > 10_000) stop.abort(new Error('stopped'));
    };
    await expect(upload(endless, { signal: stop.signal, onProgress })).rejects.toThrow('stopped');
    await expect.poll(() => closed).toBe(true);
  });

  it('an upload of a file without data stops at once', async () => {
    const stop = new AbortController();
    const silent = fileOf(1e6, async function* () {
      yield new Uint8Array(10);
      await new Promise((resolve) => setTimeout(resolve, 60_000, undefined).unref());
    });
    const stopped = upload(silent, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('stopped')), 50);
    await expect(stopped).rejects.toThrow('stopped');
  });

  it('has its own time limit (GEN-18)', async () => {
    const { client } = rig.other({ timeouts: { uploadMs: 100, callMs: 60_000 } });
    rig.server.on(UPLOAD, () => undefined);
    await expect(client.call(api.uploadFile, { workspace: 'w', file: lying(5, 5) })).rejects.toMatchObject({
      code: 'platform-timeout',
      message: expect.stringMatching(/100 ms/),
    });
  });

  it('reports its progress to the last byte, never backwards', async () => {
    takes();
    const seen: Progress[] = [];
    const pieces = fileOf(3000, async function* () {
      for (let nth = 0; nth < 3; nth += 1) yield new Uint8Array(1000);
    });
    await upload(pieces, { onProgress: (progress: Progress) => seen.push(progress) });
    const sent = seen.map((each) => each.sent);
    expect(sent).toEqual(sent.toSorted((one, other) => one - other));
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.at(-1)?.sent).toBe(seen.at(-1)?.total);
  });

  it('is opened again and sent whole once after its token was refused (AUT-16)', async () => {
    let opened = 0;
    const file = fileOf(5, async function* () {
      opened += 1;
      yield Buffer.from('hello');
    });
    rig.server.on(UPLOAD, (_request, response, nth) =>
      nth === 1 ? response.writeHead(401).end() : sendJson(response, open({ fileId: '1' })),
    );
    await upload(file);
    expect(opened).toBe(2);
    expect(rig.server.paths(UPLOAD).map(({ body }) => body.includes('\r\n\r\nhello\r\n'))).toEqual([
      true,
      true,
    ]);
  });

  it.each([500, 503, 429])('is not repeated after %i (GEN-18)', async (status) => {
    rig.server.on(UPLOAD, (_request, response) => response.writeHead(status).end());
    await expect(upload(lying(5, 5))).rejects.toMatchObject({ facts: { httpStatus: status } });
    expect(rig.server.paths(UPLOAD)).toHaveLength(1);
  });

  it('a file above the size limit is refused before it is read (FIL-11)', async () => {
    const file = lying(101 * 1024 * 1024, 0);
    await expect(upload(file)).rejects.toThrow(/105906176 bytes; at most 104857600/);
    expect(rig.server.paths(UPLOAD)).toEqual([]);
    const { client } = rig.other({ maxUploadBytes: 4 });
    const files = [lying(4, 4), lying(5, 5)];
    await expect(client.call(api.uploadFiles, { workspace: 'w', files })).rejects.toThrow(
      /5 bytes; at most 4/,
    );
  });

  it("an upload that the server refuses early fails with the server's words", async () => {
    const early = createServer((request, response) => {
      if (request.url?.includes('/upload') !== true)
        return sendJson(response, open({ access_token: 't', expires_in: 9 }));
      response.writeHead(413, { 'content-type': 'application/json', connection: 'close' });
      response.end('{"success":false,"msg":"The file is too large for this workspace"}');
    });
    await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve));
    const { port } = early.address() as AddressInfo;
    const owner = clientOf(`http://127.0.0.1:${port}`);
    const client = owner.platform.client(credentials);
    const file = fileOf(50_000_000, async function* () {
      for (let nth = 0; nth < 500; nth += 1) yield new Uint8Array(100_000);
    });
    await expect(client.call(api.uploadFile, { workspace: 'w', file })).rejects.toThrow(
      /too large for this workspace/,
    );
    await owner.platform.close();
    early.closeAllConnections();
    early.close();
  });
});
