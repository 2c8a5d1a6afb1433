import { describe, expect, it } from 'vitest';
import { receiptRows } from '../../../adapters/console/page/state/receipt.ts';
import type { ReceiptView } from '../../../adapters/console/wire.ts';

type Entry = ReceiptView['entries'][number];
const entry = (name: string, detail: Entry['detail'] = {}, at = 0): Entry => ({ at, name, detail });
const sentencesOf = (...entries: readonly Entry[]) => receiptRows(entries).map((row) => row.sentence);

describe('the timeline of a reply', () => {
  it.each<[string, Entry['detail'], string]>([
    ['kept', { channel: 'console', origin: 'message', ahead: 0 }, 'The question was saved'],
    ['kept', { origin: 'message', ahead: 2 }, 'The question was saved, behind 2 others'],
    ['kept', { origin: 'retry', ahead: 1 }, 'Retry was pressed: the question was saved, behind one other'],
    ['waits', { ahead: 1 }, 'A waiting notice was shown'],
    ['claimed', { attempt: 1, waitedMs: 3 }, 'The bridge started the question'],
    ['claimed', { attempt: 1, waitedMs: 2_000 }, 'The bridge started the question, after 2.0 s'],
    ['claimed', { attempt: 2, waitedMs: 3 }, 'The bridge started the question again (attempt 2)'],
    ['routed', { agent: 'books' }, 'The agent books answers with its own account'],
    [
      'routed',
      { agent: 'books', asker: true },
      'The agent books answers with the platform account of the person who asks',
    ],
    ['routed', { agent: 'books', account: 'ada' }, 'The agent books answers with the platform account ada'],
    ['images', { count: 1 }, 'One image was sent to the agent'],
    ['asking', { session: false, images: 0 }, 'The agent was asked in a new conversation'],
    ['asking', { session: true, images: 2 }, 'The agent was asked in the conversation of this thread'],
    ['session', { session: 's-1' }, 'Conversation on the platform: s-1'],
    ['answering', {}, 'The first words arrived'],
    ['remark', { remark: 'answer-cut' }, 'The answer was too long to show in full and was cut off'],
    ['ending', { chars: 539 }, 'The whole answer arrived: 539 characters'],
    ['sources', { count: 0 }, 'No sources were found'],
    ['sources', { count: 1 }, 'One source was found'],
    ['interrupted', { why: 'stop' }, 'Stop was pressed'],
    ['interrupted', { why: 'superseded' }, 'The question was edited'],
    ['trouble', { code: 'store-unavailable', what: 'agent' }, 'The agent of this thread could not be stored'],
    ['trouble', { code: 'platform-idle', cause: 'Silent for 60 s' }, 'Something went wrong'],
    [
      'interrupted',
      { why: 'locked-out' },
      'The platform account was disabled, or belongs to the person no longer',
    ],
    ['interrupted', { why: 'signed-out' }, 'The sign-in for the platform account has expired'],
    ['feedback', { verdict: 'none' }, 'A rating was removed'],
    ['document', { known: false, state: 'ready' }, 'A document was uploaded, and can be found'],
    [
      'document',
      { known: true, state: 'indexing' },
      'A document was already in the knowledge workspace, and is still being indexed',
    ],
    ['feedback', { verdict: 'down' }, 'The answer was rated bad'],
    ['released', {}, 'The question continues when the bridge starts again'],
    ['settled', { state: 'answered', ms: 1_200, chars: 5 }, 'Answered, 1.2 s after the question'],
    [
      'settled',
      { state: 'superseded', ms: 1_200 },
      'Replaced by the edited question, 1.2 s after the original question',
    ],
  ])('describes the event %s %j', (name, detail, sentence) => {
    expect(sentencesOf(entry(name, detail))).toEqual([sentence]);
  });

  it.each([
    [{ what: 'checkpoint', code: 'store-unavailable' }, [['error', 'store-unavailable']]],
    [{ what: 'notice', cause: 'Refused' }, [['cause', 'Refused']]],
    [
      { cause: 'Silent for 60 s', code: 'platform-idle' },
      [
        ['cause', 'Silent for 60 s'],
        ['error', 'platform-idle'],
      ],
    ],
    // As recorded before the cause had a name of its own.
    [{ what: 'Silent for 60 s' }, [['cause', 'Silent for 60 s']]],
  ])('shows the cause of the trouble %j below its sentence', (detail, details) => {
    expect(receiptRows([entry('trouble', detail)])[0]?.details).toEqual(details);
  });

  const edit = (over: Entry['detail'] = {}, at = 0) =>
    entry('move', { family: 'edit', essential: false, outcome: 'done', ...over }, at);

  it('shows successive calls of one kind as one row with their number and the first time', () => {
    const rows = receiptRows([
      edit({ family: 'post', essential: true }, 5),
      edit({}, 10),
      edit({}, 20),
      edit({}, 30),
      edit({ essential: true }, 40),
      edit({ family: 'remove', essential: true }, 50),
    ]);
    expect(rows.map(({ at, sentence }) => [at, sentence])).toEqual([
      [5, 'The reply appeared'],
      [10, 'The reply changed, in 3 steps'],
      [40, 'The reply was completed'],
      [50, 'The reply was removed'],
    ]);
    expect(sentencesOf(edit())).toEqual(['The reply changed']);
  });

  it('shows why a call was not done', () => {
    expect(sentencesOf(edit({ outcome: 'unknown' }))).toEqual(['It is unknown whether the reply changed']);
    expect(sentencesOf(edit({ outcome: 'refused', why: 'rate' }))).toEqual([
      'The reply could not be changed: there were too many calls',
    ]);
    expect(sentencesOf(edit({ outcome: 'refused', why: 'gone', family: 'post' }))).toEqual([
      'The reply could not be shown: it no longer exists',
    ]);
  });

  it('shows an unknown event with its names and values', () => {
    expect(receiptRows([entry('first-text', { afterMs: 250 }, 7)])).toEqual([
      { at: 7, sentence: 'first text', details: [['after ms', '250']] },
    ]);
    expect(receiptRows([edit({ family: 'chat.update' })])[0]?.sentence).toBe('The channel was called');
    expect(receiptRows([])).toEqual([]);
  });
});
