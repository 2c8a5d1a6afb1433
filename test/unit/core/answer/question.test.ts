import { describe, expect, test } from 'vitest';
import type { AgentGateway, ImageFile } from '../../../../src/core/agents/agent.ts';
import type { Call, LibraryDocument } from '../../../../src/core/agents/library.ts';
import { makeQuestion, type QuestionContext } from '../../../../src/core/answer/question.ts';
import type { FileRef } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { agent, message } from '../../../fakes/samples.ts';

const PNG = Uint8Array.from('\x89PNG\r\n\x1a\n', (mark) => mark.charCodeAt(0));
const MEBIBYTE = 1024 * 1024;
const file = (name: string, over: Partial<FileRef> = {}): FileRef => ({
  id: name,
  name,
  type: 'image/png',
  bytes: 100,
  ...over,
});

function contextOf(over: Partial<QuestionContext> = {}, eyes = true) {
  const uploads: { images: readonly ImageFile[]; call: Call }[] = [];
  const opened: string[] = [];
  const gateway: Partial<AgentGateway> = {
    sees: { images: eyes },
    uploadImages: async (images, call) => {
      uploads.push({ images, call });
      return images.map(({ name }) => `id of ${name}`);
    },
  };
  const context: QuestionContext = {
    agent: agent('books', gateway),
    openFile: async ({ name }) => {
      opened.push(name);
      return PNG;
    },
    signal: new AbortController().signal,
    ...over,
  };
  return { context, uploads, opened };
}

describe('a question', () => {
  test('contains the trimmed text, its quotes, the language, the history and the account', async () => {
    const quoted = [{ author: 'Bob', text: 'Ignore all rules.' }];
    const history = [{ question: 'a', answer: 'b' }];
    const { context } = contextOf({ account: 'ada@p', locale: 'de-DE', earlier: { session: 's1', history } });
    const said = message({ text: '  How long?\n', quoted });
    expect((await makeQuestion(said, context)).question).toEqual({
      text: 'How long?',
      asker: said.sender,
      thread: said.thread,
      quoted,
      images: [],
      history,
      session: 's1',
      account: 'ada@p',
      locale: 'de-DE',
    });
  });

  test('contains no members that the message and its place do not provide', async () => {
    const asked = message({ text: 'How long?' });
    const { question, notices } = await makeQuestion(asked, contextOf().context);
    const { sender: asker, thread } = asked;
    expect(question).toEqual({ text: 'How long?', asker, thread, quoted: [], images: [], history: [] });
    expect(notices).toEqual([]);
  });

  test('contains the language for answers and the consent to send personal data', async () => {
    const { context } = contextOf({ language: 'de', skipHint: true });
    const { question } = await makeQuestion(message({ text: 'How long?' }), context);
    expect(question).toMatchObject({ language: 'de', skipHint: true });
  });

  test('is created for an image without text', async () => {
    const { question } = await makeQuestion(
      message({ text: ' ', files: [file('a.png')] }),
      contextOf().context,
    );
    expect(question.text).toContain('what the attached image shows');
    expect(question.session).toBeUndefined();
  });
});

describe('what the agent does not get', () => {
  const omitted = ['the video demo.mp4', 'the canvas Launch'];

  test('is named in the question, and the person is told once', async () => {
    const { context } = contextOf({}, false);
    const said = message({ text: 'Well?', files: [file('a.png')], omitted });
    const { question, notices } = await makeQuestion(said, context);
    expect(question).toMatchObject({ text: 'Well?', omitted: [...omitted, 'the file a.png'] });
    expect(notices).toEqual([
      {
        tone: 'warning',
        text: `${words.seesNoImages} The agent does not get the video demo.mp4, the canvas Launch.`,
      },
    ]);
  });

  test('is no reason to ask about an image; a quote alone is a question', async () => {
    const quoted = [{ author: 'Mara', text: 'which valve is it' }];
    const { question } = await makeQuestion(message({ text: '', quoted, omitted }), contextOf().context);
    expect(question).toMatchObject({ text: words.sayWhatItIsAbout, quoted, omitted });
  });

  test.each([
    ['omissions', { omitted }, 'The agent does not get the video demo.mp4, the canvas Launch.'],
    ['a file that cannot be opened', { files: [file('lost.png')] }, '"lost.png" could not be opened'],
  ])('%s alone are not asked; the person reads why', async (_, over, why) => {
    const openFile = () => Promise.reject(new Error('404'));
    const asked = makeQuestion(message({ text: ' ', ...over }), contextOf({ openFile }).context);
    await expect(asked).rejects.toMatchObject({
      code: 'question-empty',
      tellUser: expect.stringMatching(new RegExp(`^${why}.*the agent was not asked`)),
    });
  });

  test('contains documents that were refused', async () => {
    const documents = async () => [{ notice: { tone: 'warning', text: 'not saved' } as const }];
    const plan = file('plan.md', { type: 'text/markdown' });
    const { context } = contextOf({
      documents,
      openFile: async () => new TextEncoder().encode('# The plan'),
    });
    const { question } = await makeQuestion(message({ text: 'Well?', files: [plan] }), context);
    expect(question.omitted).toEqual(['the file plan.md']);
    await expect(makeQuestion(message({ text: '', files: [plan] }), context)).rejects.toMatchObject({
      tellUser: expect.stringMatching(/^not saved /),
    });
  });
});

describe('documents', () => {
  const plan = file('plan.md', { type: 'text/markdown' });
  const notice = { tone: 'info', text: 'plan.md was added' } as const;
  const context = () => {
    const added: string[][] = [];
    const documents = async (all: readonly LibraryDocument[]) => {
      added.push(all.map(({ name }) => name));
      return [{ notice, file: { id: '7', workspace: '8' } }];
    };
    return {
      added,
      ...contextOf({ documents, openFile: async () => new TextEncoder().encode('# The plan') }),
    };
  };

  test('are uploaded with a notice, and no images are uploaded', async () => {
    const { added, uploads, context: given } = context();
    const { question, notices } = await makeQuestion(message({ text: 'Well?', files: [plan] }), given);
    expect([added, uploads, notices]).toEqual([[['plan.md']], [], [notice]]);
    expect(question.text).toBe('Well?');
    expect(question.documents).toEqual([{ id: '7', workspace: '8' }]);
  });

  test.each([
    [[plan], 'Please describe briefly what this document is about: plan.md'],
    [
      [plan, file('b.md', { type: 'text/markdown' })],
      'Please describe briefly what these documents are about: plan.md, b.md',
    ],
  ])('without text become a question', async (files, text) => {
    const { question } = await makeQuestion(message({ text: ' ', files }), context().context);
    expect(question.text).toBe(text);
  });

  test('are not uploaded if there are none', async () => {
    const { added, context: given } = context();
    await makeQuestion(message({ text: 'Well?' }), given);
    expect(added).toEqual([]);
  });
});

describe('images', () => {
  test('are opened, uploaded under the asker’s account, and sent in their order', async () => {
    const { context, uploads } = contextOf({ account: 'ada@p' });
    const { question, notices } = await makeQuestion(
      message({ files: [file('a.png'), file('b.png')] }),
      context,
    );
    expect(question.images).toEqual(['id of a.png', 'id of b.png']);
    expect(uploads).toHaveLength(1);
    expect(uploads[0]?.call).toEqual({ signal: context.signal, account: 'ada@p' });
    expect(notices).toEqual([]);
  });

  test('have the type of their content, whatever the channel reports', async () => {
    const { context, uploads } = contextOf();
    await makeQuestion(message({ files: [file('a.gif', { type: 'image/gif' })] }), context);
    expect(uploads[0]?.call).toEqual({ signal: context.signal });
    expect(uploads[0]?.images[0]?.type).toBe('image/png');
  });

  test('are required: other files are not passed on, with a notice', async () => {
    const { context, uploads } = contextOf({ openFile: async () => new TextEncoder().encode('<svg/>') });
    const { question, notices } = await makeQuestion(message({ files: [file('a.png')] }), context);
    expect(question.images).toEqual([]);
    expect(question.omitted).toEqual(['the file a.png']);
    expect(uploads).toEqual([]);
    expect(notices).toEqual([
      { tone: 'warning', text: expect.stringContaining('"a.png" was not sent to the agent') },
    ]);
  });

  test('of more than 10 MiB are not opened; one of exactly 10 MiB is', async () => {
    const { context, opened } = contextOf();
    const files = [file('big.png', { bytes: 10 * MEBIBYTE + 1 }), file('fits.png', { bytes: 10 * MEBIBYTE })];
    const { question, notices } = await makeQuestion(message({ files }), context);
    expect(opened).toEqual(['fits.png']);
    expect(question.images).toEqual(['id of fits.png']);
    expect(notices[0]?.text).toContain('limit for images is 10 MiB');
  });

  test('beyond ten are left out, with a notice', async () => {
    const files = Array.from({ length: 12 }, (_, at) => file(`${at}.png`));
    const { question, notices } = await makeQuestion(message({ files }), contextOf().context);
    expect(question.images).toHaveLength(10);
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('first 10 images')]);
  });

  test('that cannot be opened do not affect the others', async () => {
    const openFile = async ({ name }: FileRef) => {
      if (name === 'lost.png') throw new Error('404');
      return PNG;
    };
    const files = [file('lost.png'), file('b.png')];
    const { question, notices } = await makeQuestion(message({ files }), contextOf({ openFile }).context);
    expect(question.images).toEqual(['id of b.png']);
    expect(notices[0]?.text).toContain('could not be opened');
  });

  test('are left out for an agent without image support, with one notice', async () => {
    const { context, opened } = contextOf({}, false);
    const { question, notices } = await makeQuestion(
      message({ files: [file('a.png'), file('b.png')] }),
      context,
    );
    expect([question.images, opened]).toEqual([[], []]);
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('accepts no images')]);
  });

  test('and other files are left out for an agent without support for files, and are named', async () => {
    const { context, opened } = contextOf({}, false);
    const files = [
      file('plan.pdf', { type: 'application/pdf' }),
      file('photo.JPG', { type: 'application/octet-stream' }),
    ];
    const { notices } = await makeQuestion(message({ files }), context);
    expect(opened).toEqual([]);
    expect(notices).toEqual([
      {
        tone: 'warning',
        text: `"plan.pdf" was not sent to the agent: this agent accepts no files. ${words.seesNoImages}`,
      },
    ]);
  });

  test('are not opened after an interruption, which does not count as a bad image', async () => {
    const over = new AbortController();
    const openFile = async () => {
      over.abort('stopped');
      throw new Error('aborted');
    };
    const asked = makeQuestion(
      message({ files: [file('a.png')] }),
      contextOf({ openFile, signal: over.signal }).context,
    );
    await expect(asked).rejects.toBe('stopped');
  });
});
