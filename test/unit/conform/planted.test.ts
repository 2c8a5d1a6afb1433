/** Plants faults in the example channel of docs/channels.md. `parley conform` must find each of them. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conform } from '../../../src/conform/run.ts';
import { openStage } from '../../../src/conform/stage.ts';
import type { Rig } from '../../../src/kit/rig.ts';
import { candidateIn, type Plant } from '../../fakes/outside/candidate.ts';

const SEED = 7;
const RUNS = 6;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-planted-'));
});
afterEach(() => rm(folder, { recursive: true }));

const failedIn = async (plant: Plant, only: readonly string[]): Promise<readonly string[]> => {
  const report = await conform(await candidateIn(folder, plant), { seed: SEED, runs: RUNS, only });
  return report.checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
};

describe.each(['own', 'shorter', 'messages'] as const)('the %s writer of docs/channels.md', (writer) => {
  test('passes every check that its rig allows', async () => {
    const report = await conform(await candidateIn(folder, { writer }), { seed: SEED, runs: RUNS });
    expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.checks.filter(({ status }) => status === 'not-checked').map(({ id }) => id)).toEqual([
      ...['intake.edited', 'intake.deleted', 'intake.own-message', 'faults.invalid'],
      ...['actions.press', 'actions.unique', 'actions.refused', 'actions.forged', 'pacing.waiting'],
    ]);
  });
});

interface Planted {
  readonly fault: string;
  readonly replace: readonly (readonly [string, string])[];
  /** The check that must find the fault. */
  readonly foundBy: string;
}

const planted: readonly Planted[] = [
  {
    fault: 'acknowledges before the question is stored',
    replace: [
      ['const kept = await', 'end(response, 200);\n        const kept = await'],
      ['end(response, 200, kept', 'void (kept'],
    ],
    foundBy: 'intake.acknowledged-after-stored',
  },
  {
    fault: 'acknowledges a question that could not be stored',
    replace: [
      [
        'host.intake(questionOf(sent.data));',
        "host.intake(questionOf(sent.data)).catch(() => ({ kind: 'lost' }));",
      ],
    ],
    foundBy: 'intake.store-fails',
  },
  {
    fault: 'hides why a question was refused',
    replace: [["kept.kind === 'refused' ? kept.tellUser : ''", "''"]],
    foundBy: 'intake.refused',
  },
  {
    fault: 'gives a repeated event another origin',
    replace: [["kind: 'message', key: id", "kind: 'message', key: id + Math.random()"]],
    foundBy: 'intake.repeated',
  },
  {
    fault: 'puts all questions in one thread',
    replace: [['key: thread, kind', "key: 'all', kind"]],
    foundBy: 'intake.threads',
  },
  {
    fault: 'takes all people for the same person',
    replace: [['sender: { id: person', "sender: { id: 'someone'"]],
    foundBy: 'intake.threads',
  },
  {
    fault: 'cuts the question',
    replace: [['      text,\n', '      text: text.slice(0, 20),\n']],
    foundBy: 'intake.question',
  },
  {
    fault: 'posts a second message after a lost answer',
    replace: [
      ['const headers = {', 'let sent = 0;\n  const headers = {'],
      ['await fetch(address,', 'await fetch(address + sent,'],
      [
        'signal.throwIfAborted();\n        return',
        'sent += 1;\n        signal.throwIfAborted();\n        return',
      ],
    ],
    foundBy: 'faults.hidden',
  },
  {
    fault: 'takes a lost call for a call that was made',
    replace: [["return { kind: 'unknown' };\n      }", "return { kind: 'done' };\n      }"]],
    foundBy: 'faults.lost',
  },
  {
    fault: 'gives up after a refusal because of the rate limit',
    replace: [['[403, 404, 410]', '[403, 404, 410, 429]']],
    foundBy: 'faults.rate',
  },
  {
    fault: 'gives up while the chat is busy',
    replace: [['[403, 404, 410]', '[403, 404, 410, 503]']],
    foundBy: 'faults.busy',
  },
  {
    fault: 'writes again what people have deleted',
    replace: [['[403, 404, 410]', '[403, 404]']],
    foundBy: 'faults.gone',
  },
  {
    fault: 'ignores the signal that aborts a call',
    replace: [['headers, body, signal }', 'headers, body }']],
    foundBy: 'faults.hang',
  },
  {
    fault: 'names a family without a limit',
    replace: [["family: 'put'", "family: 'putt'"]],
    foundBy: 'pacing.families',
  },
  {
    fault: 'makes two calls in one move',
    replace: [
      [
        'const response = await fetch',
        'await fetch(address, { method, headers, body, signal });\n        const response = await fetch',
      ],
    ],
    foundBy: 'pacing.one-call',
  },
  {
    fault: 'declares a limit under which no reply can end',
    replace: [['perMinute: 60, gapMs: 500', 'perMinute: 0.2, gapMs: 500']],
    foundBy: 'pacing.windows',
  },
  {
    fault: 'has a function "next" that is not pure',
    replace: [["const call = { method: 'PUT',", "const call = { method: 'PUT', nonce: Math.random(),"]],
    foundBy: 'ladder.last-document',
  },
  {
    fault: 'has a screen that cannot be stored as JSON',
    replace: [['sure: true, shown: call.shown }', 'sure: true, shown: call.shown, at: new Date(now) }']],
    foundBy: 'ladder.last-document',
  },
  {
    fault: 'forgets at a takeover that the last call may be lost',
    replace: [
      [
        'parts: screen.parts.map((part) => ({ ...part, sure: false }))',
        'parts: screen.parts.map((part) => ({ ...part, sure: true }))',
      ],
    ],
    foundBy: 'takeover.same-version',
  },
  {
    fault: 'keeps the ids of messages in memory only',
    replace: [
      ['function createWriter(turn', 'let made = 0;\nfunction createWriter(turn'],
      ['const id = turn.reply ?? turn.id;', 'const id = turn.id + (made += 1);'],
    ],
    foundBy: 'takeover.same-messages',
  },
  {
    fault: 'finds its messages only in the process that posted them',
    replace: [
      [
        'function createAdapter({ url, token }, kit) {',
        'let adapters = 0;\nfunction createAdapter({ url, token }, kit) {\n  adapters += 1;',
      ],
      ['const id = turn.reply ?? turn.id;', 'const id = turn.id + adapters;'],
    ],
    foundBy: 'takeover.new-process',
  },
  {
    fault: 'does not return from "stop"',
    replace: [['async stop() {},', 'stop: () => new Promise(() => {}),']],
    foundBy: 'takeover.new-process',
  },
  {
    fault: 'does not resume a finished reply',
    replace: [['      ...screen,\n      finished: false,\n', '      ...screen,\n']],
    foundBy: 'ladder.finished',
  },
  {
    fault: 'shows "Thinking…" below the answer',
    replace: [
      ['const begun = plainText(text) ||', "const begun = text ? text + ' Thinking…' :"],
      [
        "(state === 'thinking' ? (meanwhile ?? 'Thinking…') : '');",
        "(state === 'thinking' ? (meanwhile ?? 'Thinking…') : '');",
      ],
    ],
    foundBy: 'ladder.last-document',
  },
  {
    fault: 'cuts a long answer',
    replace: [['const begun = plainText(text) ||', 'const begun = text.slice(0, 4_000) ||']],
    foundBy: 'ladder.long-answer',
  },
  {
    fault: 'keeps the reply to a deleted question',
    replace: [["document.state === 'withdrawn'", "document.state === 'never'"]],
    foundBy: 'ladder.withdrawn',
  },
  {
    fault: 'does not mark the last call as essential',
    replace: [['essential: part === undefined || call.isLast', 'essential: part === undefined']],
    foundBy: 'ladder.essential',
  },
  {
    fault: 'asks for the same call without end',
    replace: [['if (part?.sure && part.shown.version === document.version) return [];', '']],
    foundBy: 'ladder.newest-document',
  },
  {
    fault: 'declares a room as a direct chat',
    replace: [["kind: 'room'", "kind: 'direct'"]],
    foundBy: 'intake.threads',
  },
  {
    fault: 'takes requests without the secret',
    replace: [['if (!kit.isSameSecret(', 'if (url === undefined && !kit.isSameSecret(']],
    foundBy: 'intake.forged',
  },
  {
    fault: 'takes people with the same name for one person',
    replace: [['sender: { id: person, name,', 'sender: { id: name, name,']],
    foundBy: 'intake.namesakes',
  },
  {
    fault: 'passes on the time in seconds',
    replace: [['      sentAt,\n', '      sentAt: sentAt / 1_000,\n']],
    foundBy: 'intake.question',
  },
  {
    fault: 'reads questions as Latin-1',
    replace: [['bytes.toString()', "bytes.toString('latin1')"]],
    foundBy: 'intake.letters',
  },
  {
    fault: 'loses the last letter of a question',
    replace: [['      text,\n', '      text: text.slice(0, -1),\n']],
    foundBy: 'intake.letters',
  },
  {
    fault: 'takes a question after the next one of the same person',
    replace: [
      [
        'const kept = await host.intake(',
        'swapped += 1;\n        if (swapped % 2 === 1) await host.clock.wait(100);\n        const kept = await host.intake(',
      ],
      ['function createAdapter(', 'let swapped = 0;\nfunction createAdapter('],
    ],
    foundBy: 'intake.order',
  },
  {
    fault: 'shows letters outside ASCII as question marks',
    replace: [
      ['const body = method', "text = text?.replace(/[^\\x00-\\x7f]/g, '?');\n        const body = method"],
    ],
    foundBy: 'content.letters',
  },
  {
    fault: 'loses the last letter of an answer',
    replace: [['plainText(text) ||', 'plainText(text).slice(0, -1) ||']],
    foundBy: 'content.letters',
  },
  {
    fault: 'shows Markdown raw',
    replace: [['plainText(text) ||', 'text ||']],
    foundBy: 'content.markdown',
  },
  {
    fault: 'never shows notices',
    replace: [['...notices.map((notice) => notice.text), ', '']],
    foundBy: 'content.notices',
  },
  {
    fault: 'never shows sources',
    replace: [[', ...named]', ']']],
    foundBy: 'content.sources',
  },
  {
    fault: 'never shows sources that arrive late',
    replace: [
      [
        'if (part?.sure && part.shown',
        'if (finished && part?.sure) return [];\n      if (part?.sure && part.shown',
      ],
    ],
    foundBy: 'content.late-sources',
  },
  {
    fault: 'ignores how long the chat asks it to wait',
    replace: [["Number(headers.get('retry-after')) || 1", '1']],
    foundBy: 'faults.rate',
  },
  {
    fault: 'sends waiting notices without a permit',
    replace: [
      [
        'abilities: {},',
        "abilities: { waiting: { say: async ({ id }) => void (await fetch(url + '/messages/wait-' + id, { method: 'PUT', body: '{}' })) } },",
      ],
    ],
    foundBy: 'pacing.waiting',
  },
];

test.each(planted)('a channel that $fault fails $foundBy', async ({ replace, foundBy }) => {
  expect(await failedIn({ replace }, [foundBy])).toEqual([foundBy]);
});

test('a chat that starts too late is closed', async () => {
  const candidate = await candidateIn(folder);
  const started = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const openRig = async (): Promise<Rig> => {
    await started.promise;
    return { settings: {}, say: async () => ({}), shown: () => [], close: () => closed.resolve() };
  };
  await expect(openStage({ ...candidate, openRig }, 10)).rejects.toThrow(
    '"conform" did not return within 0.01 s.',
  );
  started.resolve();
  await closed.promise;
});
