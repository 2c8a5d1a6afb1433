import { expect, it } from 'vitest';
import { agentName } from '../../../src/kit/ladder.ts';
import { correctionsOf, type FakeCorrections } from '../../fakes/corrections.ts';
import { permissionsOf } from '../../fakes/permissions.ts';
import { documentOf, openRig, show, turnOf } from '../../unit/console/rig.ts';
import { describeInChromium, pressMore } from './stage.ts';

describeInChromium('correcting an answer', (stage) => {
  async function openForm() {
    const permissions = permissionsOf({ correct: ['member'] });
    const corrections: FakeCorrections = correctionsOf(permissions);
    const visit = await stage.real({}, (pageFolder) =>
      openRig({
        config: { pageFolder },
        host: (host) => void Object.assign(host, { refusal: permissions.refusal, corrections }),
      }),
    );
    const { page, rig } = visit;
    await rig.say('general', { text: '@knowledge Where is the key?' });
    const turn = turnOf(rig.host.taken.at(-1), 't1');
    const document = documentOf(turn, {
      ...{ agent: agentName('knowledge'), state: 'done', text: 'In the drawer.' },
    });
    rig.host.reply = async () => ({ ...document, question: 'Where is the key?' });
    await show(rig, turn, [document]);
    await page.locator('.room-pane').getByText('1 reply').click();
    await pressMore(page, 'Correct');
    const [question, answer] = [page.getByLabel('Question'), page.getByLabel('Answer', { exact: true })];
    await expect.poll(() => question.inputValue()).toBe('Where is the key?');
    await expect.poll(() => answer.inputValue()).toBe('In the drawer.');
    return { ...visit, corrections, answer, store: page.getByRole('button', { name: 'Store' }) };
  }

  it('stores the edited wording, and says so after the form has closed', async () => {
    const { page, corrections, answer, store, faults } = await openForm();
    await answer.fill('Under the mat.');
    await store.click();
    await page.getByText('Your correction is stored in “handbook”').waitFor();
    expect(await page.locator('dialog').count()).toBe(0);
    expect(corrections.pairs).toMatchObject([{ question: 'Where is the key?', answer: 'Under the mat.' }]);
    expect(faults).toEqual([]);
  });

  it('keeps the form and the wording if the platform did not confirm the correction', async () => {
    const { page, corrections, answer, store } = await openForm();
    corrections.platform = 'does not confirm';
    await answer.fill('Under the mat.');
    await store.click();
    await page.getByText('may or may not be stored').waitFor();
    expect(await answer.inputValue()).toBe('Under the mat.');
    await answer.fill('');
    await expect.poll(() => store.isDisabled()).toBe(true);
  });
});
