import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import { person, thread } from '../../../fakes/samples.ts';
import { createScriptedAgent, growing } from '../../../fakes/scripted-agent.ts';
import { ask, asking, createWorld, type Process, seen, type World } from '../../../fakes/world.ts';

/**
 * Tests fault F29 (the store is locked) with a real file: another process holds the write lock for more than two
 * leases.
 */
describe('while the store is locked for 25 s', () => {
  const ANSWER = Array.from({ length: 40 }, (_, nth) => `Sentence ${nth + 1} of the answer. `).join('');
  const agent = createScriptedAgent({
    name: 'books',
    script: () => growing(ANSWER, ANSWER.length / 40, 1_000),
  });
  let folder: string;
  let world: World;
  let other: DatabaseSync;
  let process: Process;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-outage-'));
    const file = join(folder, 'parley.sqlite');
    world = createWorld({ agents: [agent], file });
    other = new DatabaseSync(file);
    process = await world.boot();
  });
  afterEach(async () => {
    await process.stop(0);
    other.close();
    world.close();
    await rm(folder, { recursive: true });
  });

  const documentOf = (turn: TurnId) => seen(world.channel, turn).document;
  const lengths = (turn: TurnId) =>
    world.channel.showings.filter((each) => each.turn === turn).map(({ document }) => document.text.length);

  test('a running answer continues, is shown, never shrinks, and is recorded afterwards', async () => {
    const asked = agent.askings.length;
    const turn = await ask(process, 'How long?');
    await world.clock.pass(10_000);
    other.exec('BEGIN IMMEDIATE');
    const before = documentOf(turn).text.length;
    await world.clock.pass(25_000);
    expect(documentOf(turn).text.length).toBeGreaterThan(before * 3);
    other.exec('ROLLBACK');
    await world.clock.pass(15_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: ANSWER, notices: [] });
    expect(lengths(turn)).toEqual(lengths(turn).toSorted((one, two) => one - two));
    expect(agent.askings.slice(asked).map(({ ended }) => ended)).toEqual(['ended']);
    expect((await process.inbox.find(turn))?.state).toBe('answered');
  });

  test('and the process is killed, all shown text is kept, and the question is not asked again', async () => {
    const asked = agent.askings.length;
    const turn = await ask(process, 'How long?');
    await world.clock.pass(10_000);
    other.exec('BEGIN IMMEDIATE');
    await world.clock.pass(15_000);
    const shown = documentOf(turn).text;
    process.kill();
    other.exec('ROLLBACK');
    process = await world.boot();
    await world.clock.pass(5_000);
    expect(documentOf(turn).state).toBe('partial');
    expect(documentOf(turn).text.startsWith(shown)).toBe(true);
    expect(agent.askings).toHaveLength(asked + 1);
    expect((await process.inbox.find(turn))?.state).toBe('partial');
  });

  test('before the first text, a kill does not ask the question again', async () => {
    const asked = agent.askings.length;
    const turn = await ask(process, 'How long?');
    await world.clock.until(() => agent.askings.length > asked);
    other.exec('BEGIN IMMEDIATE');
    await world.clock.pass(5_000);
    const shown = documentOf(turn).text;
    expect(shown).not.toBe('');
    process.kill();
    other.exec('ROLLBACK');
    process = await world.boot();
    await world.clock.pass(5_000);
    expect(documentOf(turn)).toMatchObject({ state: 'partial', text: expect.stringContaining(shown) });
    expect(agent.askings).toHaveLength(asked + 1);
  });

  test('a question is refused, and answered when it is asked again after the lock', async () => {
    other.exec('BEGIN IMMEDIATE');
    await expect(process.intake(asking('How long?'))).rejects.toMatchObject({ code: 'store-unavailable' });
    other.exec('ROLLBACK');
    const turn = await ask(process, 'How long?');
    await world.clock.pass(45_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: ANSWER });
  });

  test('a running answer can be stopped', async () => {
    const turn = await ask(process, 'How long?');
    await world.clock.pass(10_000);
    other.exec('BEGIN IMMEDIATE');
    await process.intake({ kind: 'stop', thread: thread({ key: 't1' }), by: person(), turn });
    await world.clock.pass(2_000);
    expect(documentOf(turn).state).toBe('stopped');
    other.exec('ROLLBACK');
    await world.clock.pass(5_000);
    expect((await process.inbox.find(turn))?.state).toBe('stopped');
  });

  test('the process can shut down', async () => {
    const turn = await ask(process, 'How long?');
    await world.clock.pass(10_000);
    other.exec('BEGIN IMMEDIATE');
    let stopped = false;
    const stopping = process.stop(1_000).then(() => {
      stopped = true;
    });
    await world.clock.until(() => stopped, 20_000);
    await stopping;
    other.exec('ROLLBACK');
    expect(documentOf(turn).state).toBe('partial');
  });
});
