/** Tests that the strict fake Teams accepts every rendered message without a violation. */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { messageOf } from '../../../../adapters/teams/render/message.ts';
import type { Form } from '../../../../adapters/teams/render/render-context.ts';
import { type FakeTeams, startFakeTeams } from '../../../fakes/teams/index.ts';
import { documents } from '../../reply/markdown/documents.ts';
import { send } from '../../teams-fake/wire.ts';
import { context, personal } from './messages.ts';

let fake: FakeTeams;
beforeAll(async () => {
  fake = await startFakeTeams({ limits: { off: true }, textBesideCards: 'together' });
});
afterAll(() => fake?.close());

it('accepts a message in every form, format and part', async () => {
  const tenant = fake.tenant();
  const person = tenant.person();
  const places = {
    chat: [context, tenant.chat({ members: [person] })],
    personal: [personal, person.dm()],
  } as const;
  await fc.assert(
    fc.asyncProperty(
      documents,
      fc.constantFrom('chat' as const, 'personal' as const),
      fc.constantFrom<Form>('rich', 'simple', 'plain'),
      fc.constantFrom('markdown' as const, 'extendedmarkdown' as const),
      async (document, where, form, format) => {
        const [place, room] = places[where];
        for (const { begin, to } of emitterOf(format).ranges(document.text, 2_000)) {
          const extent = to === document.text.length ? { begin } : { begin, to };
          const message = messageOf({ document, extent, context: { ...place, format }, form });
          const { status, message: why } = await send(fake, room, message);
          expect([status, why]).toEqual([201, undefined]);
        }
        expect(fake.log.violations).toEqual([]);
      },
    ),
    { numRuns: 200 },
  );
});
