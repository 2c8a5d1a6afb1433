/** Tests which files of a message are opened, and what the agent receives. */

import { describe, expect, test } from 'vitest';
import { type FileContext, openFiles } from '../../../../src/core/answer/question.ts';
import type { FileRef } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { agent } from '../../../fakes/samples.ts';

const PNG = Uint8Array.from('\x89PNG\r\n\x1a\n', (mark) => mark.charCodeAt(0));
const TEXT = new TextEncoder().encode('# The plan');
const MEBIBYTE = 1024 * 1024;
const file = (name: string, over: Partial<FileRef> = {}): FileRef => ({
  id: name,
  name,
  type: 'text/markdown',
  bytes: 100,
  ...over,
});

/**
 * Returns the context in which files are opened. `eyes`: the agent sees images. `documents`: the room has uploads.
 * Every file contains `bytes`.
 */
function contextOf({ eyes = true, documents = true, bytes = TEXT } = {}) {
  const asked: (readonly [string, number])[] = [];
  const context: FileContext = {
    agent: agent('books', { sees: { images: eyes } }),
    ...(documents && { documents: async () => [] }),
    openFile: async ({ name }, limit) => {
      asked.push([name, limit]);
      return bytes;
    },
    signal: new AbortController().signal,
  };
  return { context, asked };
}
const nothing = { images: [], documents: [], texts: [], omitted: [], reasons: [] };
/** Returns the sentences about one file. */
const warningsOf = async (one: FileRef, context: FileContext) => (await openFiles([one], context)).reasons;

describe('a file for an agent without image support and without uploads is not opened', () => {
  test.each<readonly [string, string]>([
    ['image/webp', 'photo'],
    ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'PNG'].map((end) => ['', `photo.${end}`] as const),
  ])('a file of type %j and name %j seems to be an image', async (type, name) => {
    const { context, asked } = contextOf({ eyes: false, documents: false });
    expect(await warningsOf(file(name, { type }), context)).toEqual([words.seesNoImages]);
    expect(asked).toEqual([]);
  });

  test.each([
    ['application/image/', 'photo'],
    ['', 'photo.png.pdf'],
    ['', 'photopng'],
    ['', 'photo.svg'],
  ])('a file of type %j and name %j does not seem to be an image', async (type, name) => {
    const { context } = contextOf({ eyes: false, documents: false });
    expect(await warningsOf(file(name, { type }), context)).toEqual([words.takesNoFiles(name)]);
  });
});

describe('a file of an earlier message', () => {
  const earlier = (name: string) => file(name, { earlier: true, ...(/pdf$/.test(name) && { type: '' }) });

  test('is read, but does not become a document', async () => {
    const { context } = contextOf();
    const texts = [{ author: 'plan.md', text: '# The plan', kind: 'file' }];
    expect(await openFiles([earlier('plan.md')], context)).toEqual({ ...nothing, texts });
    const { context: sees } = contextOf({ bytes: PNG });
    expect((await openFiles([earlier('a.png')], sees)).images).toHaveLength(1);
  });

  test('that the agent cannot read is named to the agent only', async () => {
    const { context } = contextOf({ eyes: false, documents: false });
    const names = Array.from({ length: 12 }, (_, index) => `${index}.pdf`);
    const omitted = names.map((name) => `the file ${name}`);
    expect(await openFiles(names.map(earlier), context)).toEqual({ ...nothing, omitted });
  });
});

describe('with uploads', () => {
  test('a file that is no image is a document with the reported type', async () => {
    const { context, asked } = contextOf();
    const opened = await openFiles([file('plan.md'), file('notes', { type: '' })], context);
    expect(opened).toEqual({
      ...nothing,
      documents: [
        { name: 'plan.md', type: 'text/markdown', bytes: TEXT },
        { name: 'notes', type: 'application/octet-stream', bytes: TEXT },
      ],
    });
    expect(asked).toEqual([
      ['plan.md', 20 * MEBIBYTE],
      ['notes', 20 * MEBIBYTE],
    ]);
  });

  test('a document of 20 MiB is opened, a larger one is not', async () => {
    const { context, asked } = contextOf();
    const fits = file('fits', { bytes: 20 * MEBIBYTE });
    const { documents, omitted, reasons } = await openFiles(
      [fits, file('big', { bytes: 20 * MEBIBYTE + 1 })],
      context,
    );
    expect(documents.map(({ name }) => name)).toEqual(['fits']);
    expect(asked.map(([name]) => name)).toEqual(['fits']);
    expect(reasons).toEqual([words.documentTooLarge('big', 20)]);
    expect(omitted).toEqual(['the file big']);
  });

  test('an image goes to the agent as an image, up to 10 MiB', async () => {
    expect(await openFiles([file('a.png')], contextOf({ bytes: PNG }).context)).toEqual({
      ...nothing,
      images: [{ name: 'a.png', type: 'image/png', bytes: PNG }],
    });
    const large = new Uint8Array(10 * MEBIBYTE + 1);
    large.set(PNG);
    expect(await warningsOf(file('b.png'), contextOf({ bytes: large }).context)).toEqual([
      words.imageTooLarge('b.png', 10),
    ]);
    const largest = await openFiles([file('c.png')], contextOf({ bytes: large.subarray(0, -1) }).context);
    expect([largest.images.length, largest.reasons]).toEqual([1, []]);
  });

  test('an image for an agent without image support is no document either', async () => {
    const { context } = contextOf({ eyes: false, bytes: PNG });
    expect(await openFiles([file('a.png')], context)).toEqual({
      ...nothing,
      omitted: ['the file a.png'],
      reasons: [words.seesNoImages],
    });
  });

  test('the first ten files are opened, and a notice names the limit', async () => {
    const { context, asked } = contextOf();
    const ten = Array.from({ length: 10 }, (_, nth) => file(`${nth}`));
    expect((await openFiles(ten, context)).reasons).toEqual([]);
    const { documents, omitted, reasons } = await openFiles([...ten, file('eleventh')], context);
    expect([documents.length, asked.length]).toEqual([10, 20]);
    expect(reasons).toEqual([words.tooManyFiles(10)]);
    expect(omitted).toEqual(['the file eleventh']);
  });
});

describe('without uploads', () => {
  test('images and text files are passed on; they are opened up to 10 MiB', async () => {
    const { context, asked } = contextOf({ documents: false });
    const plan = file('plan.pdf', { type: 'application/pdf' });
    expect(await warningsOf(plan, context)).toEqual([words.fileNotPassed('plan.pdf')]);
    expect(asked).toEqual([['plan.pdf', 10 * MEBIBYTE]]);
    const over = file('big.png', { bytes: 10 * MEBIBYTE + 1 });
    expect(await warningsOf(over, context)).toEqual([words.imageTooLarge('big.png', 10)]);
  });

  test('more than ten files count as more than ten images', async () => {
    const { context } = contextOf({ documents: false, bytes: PNG });
    const files = Array.from({ length: 11 }, (_, nth) => file(`${nth}`));
    expect((await openFiles(files, context)).reasons).toEqual([words.tooManyImages(10)]);
  });

  test.each([
    ['text/plain', 'worker'],
    ['', 'worker.log'],
    ['application/json', 'worker'],
  ])('the text of a file of type %j and name %j is quoted, also for an agent without sight', async (type, name) => {
    for (const eyes of [true, false]) {
      const { context } = contextOf({ documents: false, eyes });
      expect(await openFiles([file(name, { type })], context)).toEqual({
        ...nothing,
        texts: [{ author: name, text: '# The plan', kind: 'file' }],
      });
    }
  });

  test('a long text is cut, and its rest is named', async () => {
    const { context } = contextOf({ documents: false, bytes: new TextEncoder().encode('x'.repeat(12_001)) });
    const { texts, omitted } = await openFiles([file('worker.log')], context);
    expect([texts[0]?.text.length, omitted]).toEqual([12_000, ['the rest of the file worker.log']]);
  });

  test.each([
    ['bytes that are no UTF-8', Uint8Array.of(0xff, 0xfe, 0x41)],
    ['a NUL', new TextEncoder().encode('a\0b')],
    ['nothing', new Uint8Array()],
  ])('a text file with %s is not passed on', async (_, bytes) => {
    const { context } = contextOf({ documents: false, bytes });
    expect(await warningsOf(file('plan.md'), context)).toEqual([words.fileNotPassed('plan.md')]);
  });
});

describe('the beginning that a channel shows of a file', () => {
  const shown = file('worker.log', { preview: 'ERROR', bytes: 100 });
  const quoted = [{ author: 'worker.log', text: 'ERROR', kind: 'file' }];

  test('is quoted if the file cannot be opened, and the rest is named', async () => {
    const { context } = contextOf({ documents: false });
    const failing = { ...context, openFile: () => Promise.reject(new Error('404')) };
    const rest = ['the rest of the file worker.log'];
    expect(await openFiles([shown], failing)).toEqual({ ...nothing, texts: quoted, omitted: rest });
    expect(await openFiles([{ ...shown, bytes: 5 }], failing)).toEqual({ ...nothing, texts: quoted });
  });

  test('is quoted beside a document, which contains the rest', async () => {
    const { context } = contextOf();
    expect(await openFiles([shown], context)).toMatchObject({
      texts: quoted,
      omitted: [],
      documents: [{ name: 'worker.log' }],
    });
  });

  test('gives way to the whole text', async () => {
    const { context } = contextOf({ documents: false });
    expect((await openFiles([shown], context)).texts).toMatchObject([{ text: '# The plan' }]);
  });
});

test('a file that cannot be opened is named, with the error’s own sentence if it has one', async () => {
  const failing = (thrown: unknown): FileContext => ({
    ...contextOf().context,
    openFile: () => Promise.reject(thrown),
  });
  expect(await warningsOf(file('a'), failing(new Error('404')))).toEqual([words.imageUnreadable('a')]);
  const kind = new BridgeError('image-refused', 'HTTP 403', { tellUser: 'Share it with the bot.' });
  expect(await warningsOf(file('a'), failing(kind))).toEqual(['Share it with the bot.']);
});
