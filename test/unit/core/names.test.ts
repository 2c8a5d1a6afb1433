/** Tests that names and titles of people and documents cannot hide or reorder text (attack S30). */

import { describe, expect, test } from 'vitest';
import { personOf } from '../../../channels/xmpp/inbound/people.ts';
import type { Room } from '../../../channels/xmpp/rooms.ts';
import { hides, isVisible, visibleLine, visibleName, withoutTurns } from '../../../src/core/names.ts';
import { sourceTitle } from '../../../src/core/words.ts';
import { passageText } from '../../../src/reply/markdown/passage.ts';

const HOSTILE: readonly (readonly [string, string, string])[] = [
  ['a right-to-left override', 'invoice\u202egpj.exe', 'invoicegpj.exe'],
  ['an embedding', '\u202bAda\u202c', 'Ada'],
  ['an isolate that is never closed', '\u2067Ada', 'Ada'],
  ['marks of direction', 'A\u200ed\u200fa\u061c', 'Ada'],
  ['zero width spaces', 'A\u200bd\u2060a\ufeff', 'Ada'],
  ['a soft hyphen', 'A\u00adda', 'Ada'],
  ['line ends', 'Ada\nParley: yes\r\n\u2028\u2029x', 'Ada Parley: yes x'],
  ['control characters', 'A\u0000d\u001ba\u0085', 'Ada'],
  ['hidden tags', 'Ada\u{e0049}\u{e0067}', 'Ada'],
  ['half a character', 'Ada\ud800', 'Ada\ufffd'],
  ['a Hangul filler', '\u3164', ''],
  ['a Braille blank', '\u2800\u2800', ''],
  ['nothing', ' \t', ''],
];

describe('a name with', () => {
  test.each(HOSTILE)('%s shows only what can be seen (attack S30)', (_, given, shown) => {
    expect(visibleLine(given)).toBe(shown);
    expect(visibleName([given], 'U1')).toBe(shown === '' ? 'U1' : shown);
    expect(sourceTitle({ title: given, kind: 'document' }, 2)).toBe(shown === '' ? 'Document 2' : shown);
    const member = personOf(
      { from: `room@x.example/${given}`, room: { address: 'room@x.example' } as Room, jid: 'ada@x.example' },
      { members: ['x.example'], emails: false },
    );
    expect(member).toMatchObject({ id: 'ada@x.example', name: shown === '' ? 'somebody' : shown });
  });
});

test.each(['Ada', '李雷', 'علی\u200cرضا', '👩\u200d💻', '7', 'Zoë'])('%s stays as it is', (name) => {
  expect([visibleLine(name), hides(name), isVisible(name)]).toEqual([name, false, true]);
});

test('a name without a letter gives way to the next name, and a long one is cut', () => {
  expect(visibleName(['...', '\u3164', 'Ada'], 'U1')).toBe('Ada');
  expect(visibleName(['a'.repeat(5_000)], 'U1')).toHaveLength(200);
});

test('a passage keeps its lines, without changes of direction (attack S30)', () => {
  expect(passageText('one \u202etwo\u202c\n\nthree \u2067four')).toBe('one two\n\nthree four');
  expect(withoutTurns('a\u200fb')).toBe('a\u200fb');
});
