/** Tests changes of the knowledge whose response was lost: nothing counts as done, or as not done, without proof. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BridgeError, catalogue, type ErrorCode } from '../../../src/errors.ts';
import type { PlatformClient } from '../../../src/platform/caller.ts';
import { createLibrary } from '../../../src/platform/library.ts';
import { memoryKeyed } from '../slack/keyed.ts';

const CODES = Object.keys(catalogue) as ErrorCode[];
/** Errors that prove that the platform did nothing. */
const REFUSALS: readonly ErrorCode[] = [
  'platform-auth',
  'platform-busy',
  'platform-parameter',
  'platform-permission',
  'platform-refused',
];
const call = { signal: new AbortController().signal };
const failing = (code: ErrorCode) => new BridgeError(code, 'planted');

/** Returns a client whose operations other than the list of workspaces are `perform`. */
function clientOf(perform: (operation: string, request: Record<string, unknown>) => Promise<unknown>) {
  const workspaces = [{ id: '1', name: 'handbook' }];
  return {
    base: undefined,
    clock: { now: () => 0 },
    call: async ({ id }: { id: string }, request: Record<string, unknown>) =>
      id === 'listWorkspaces' ? [{ workspaces }] : perform(id, request),
  } as unknown as PlatformClient;
}

describe('a question-answer pair', () => {
  it.each(CODES)('after %s is refused only if the platform certainly did not store it', async (code) => {
    const client = clientOf(async () => Promise.reject(failing(code)));
    const library = createLibrary(client, memoryKeyed());
    const stored = library.addPair({ question: 'q', answer: 'a' }, 'handbook', call);
    const outcome = await stored.catch((thrown: BridgeError) => thrown.code);
    expect(outcome).toBe(REFUSALS.includes(code) ? code : 'unconfirmed');
  });
});

describe('a document', () => {
  interface Stored {
    readonly id: string;
    readonly name: string;
    readonly size: number;
    readonly chunkingState: string;
  }
  const ENDS = ['kept', 'lost', 'dropped', 'refused'] as const;

  /** A platform on which each upload ends as planned: `lost` is stored without a response, `dropped` is not stored. */
  function platform() {
    const files: Stored[] = [];
    const plan: { end: (typeof ENDS)[number]; code: ErrorCode } = { end: 'kept', code: 'platform-busy' };
    const client = clientOf(async (operation, request) => {
      if (operation === 'listFiles') return { items: files.toReversed() };
      const { name, size } = request.file as Stored;
      if (plan.end === 'refused') throw failing(plan.code);
      const id = `f${files.length}`;
      if (plan.end !== 'dropped') files.push({ id, name, size, chunkingState: 'success' });
      if (plan.end !== 'kept') throw failing('platform-interrupted');
      return { fileId: id };
    });
    return { files, plan, library: createLibrary(client, memoryKeyed()) };
  }
  const document = (name: string, size: number) => ({
    name,
    type: 'text/plain',
    bytes: new Uint8Array(size),
  });

  it('is always the file with its own bytes, and stored once, whatever happened to earlier uploads', async () => {
    const step = fc.record({
      name: fc.constantFrom('plan.md', 'notes.md'),
      size: fc.integer({ min: 1, max: 3 }),
      end: fc.constantFrom(...ENDS),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { files, plan, library } = platform();
        const naive = new Map<number, string>();
        for (const { name, size, end } of steps) {
          plan.end = end;
          const added = await library.add(document(name, size), 'handbook', call).catch(() => undefined);
          const before = naive.get(size);
          if (added === undefined) {
            expect([before, end]).not.toEqual([undefined, 'kept']);
            continue;
          }
          expect(files.find(({ id }) => id === added.id)?.size).toBe(size);
          expect(added.id).toBe(before ?? added.id);
          naive.set(size, added.id);
        }
      }),
    );
  });

  it.each(REFUSALS)('that was refused with %s is no older file of the same name', async (code) => {
    const { files, plan, library } = platform();
    await library.add(document('plan.md', 1), 'handbook', call);
    Object.assign(plan, { end: 'refused', code });
    const changed = { ...document('plan.md', 1), bytes: new Uint8Array([1]) };
    await expect(library.add(changed, 'handbook', call)).rejects.toMatchObject({ code });
    plan.end = 'kept';
    expect(await library.add(changed, 'handbook', call)).toMatchObject({ id: 'f1', known: false });
    expect(files).toHaveLength(2);
  });

  it('that was stored without a response is found again, and does not count as known', async () => {
    const { files, plan, library } = platform();
    plan.end = 'lost';
    await expect(library.add(document('plan.md', 1), 'handbook', call)).rejects.toThrow('planted');
    expect(await library.add(document('plan.md', 1), 'handbook', call)).toMatchObject({
      id: 'f0',
      known: false,
    });
    expect(await library.add(document('plan.md', 1), 'handbook', call)).toMatchObject({
      id: 'f0',
      known: true,
    });
    expect(files).toHaveLength(1);
  });

  it('that was lost on its way is no older file of the same name and size', async () => {
    const { plan, library } = platform();
    await library.add(document('plan.md', 1), 'handbook', call);
    plan.end = 'dropped';
    const changed = { ...document('plan.md', 1), bytes: new Uint8Array([1]) };
    await expect(library.add(changed, 'handbook', call)).rejects.toThrow('planted');
    plan.end = 'kept';
    expect(await library.add(changed, 'handbook', call)).toMatchObject({ id: 'f1', known: false });
  });

  it('whose indexing failed is uploaded again', async () => {
    const { files, library } = platform();
    await library.add(document('plan.md', 1), 'handbook', call);
    files.splice(0, 1, { id: 'f0', name: 'plan.md', size: 1, chunkingState: 'fail' });
    expect(await library.add(document('plan.md', 1), 'handbook', call)).toMatchObject({
      id: 'f1',
      known: false,
    });
  });
});
