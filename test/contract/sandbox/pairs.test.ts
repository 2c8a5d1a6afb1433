import { describe, expect, it } from 'vitest';
import { shared } from './support.ts';
import { openWire, WORKSPACES } from './wire.ts';

const sandbox = await shared({ options: { fileStateMs: 0 } });
const wire = await openWire(sandbox);

describe('question-answer pairs (QNA-1, QNA-2)', () => {
  const CREATE = `${WORKSPACES}/qna/create`;
  it('are stored, and listed by the inspection route only', async () => {
    const pair = {
      workspace: 'handbook',
      questions: ['Where is the key?', 'Key?'],
      answer: 'Under the mat.',
      metadatas: [{ typeCode: 'floor', content: '2' }],
    };
    expect(await wire.done('POST', CREATE, pair)).toBeNull();
    const listed = await wire.ask('GET', '/__inspect/pairs', undefined, {});
    expect(listed.json).toEqual([
      expect.objectContaining({ questions: pair.questions, answer: pair.answer, createdBy: 'admin' }),
    ]);
  });

  it('answer with a reference of the type QnA, which has no address', async () => {
    const asked = { expertCode: 'knowledge', content: 'where is the KEY' };
    const data = await wire.done('POST', '/openapi/chat/expert', asked);
    expect(data.content).toBe('Under the mat.');
    const listed = await wire.whole('GET', `/openapi/chat/record/${data.chatRecordId}/reference`);
    expect(listed.data).toEqual([
      { title: 'Where is the key?', content: 'Under the mat.', score: 1, type: 'QnA' },
    ]);
  });

  it.each([
    [{ workspace: 'nowhere' }, /nowhere/],
    [{ questions: [] }, /questions/],
    [{ questions: ['', ' '] }, /questions/],
    [{ questions: 'Where?' }, /questions/],
    [{ questions: ['Where?', 7] }, /questions/],
    [{ questions: undefined }, /questions/],
    [{ workspace: undefined }, /workspace/],
    [{ workspace: 7 }, /workspace/],
    [{ answer: '' }, /answer/],
    [{ answer: undefined }, /answer/],
    [{ answer: { text: 'There.' } }, /answer/],
    [{ metadatas: [{ content: 'x' }] }, /metadatas/],
    [{ metadatas: ['x'] }, /metadatas/],
    [{ metadatas: [{ typeCode: 'x', content: 7 }] }, /metadatas/],
    [{ metadatas: [{ typeCode: 'x' }] }, /metadatas/],
    [{ metadatas: {} }, /metadatas/],
  ])('%j is refused', async (wrong, message) => {
    const body = { workspace: 'handbook', questions: ['Where?'], answer: 'There.', ...wrong };
    expect(await wire.refused('POST', CREATE, body)).toMatch(message);
  });
});
