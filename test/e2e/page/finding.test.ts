import { expect, it } from 'vitest';
import { postMessage } from '../../fakes/console-world.ts';
import { ask, describeInChromium, drawn, phone, pressMore, type Visit } from './stage.ts';

const source = {
  ...{ key: 'a', number: 1, title: 'Manual', kind: 'document' as const },
  fragments: [{ text: 'Every six months.' }],
};

async function answered(visit: Visit): Promise<void> {
  await ask(visit, '@knowledge how often?');
  visit.newest().append('Every six months [1].');
  visit.newest().set({ state: 'done', sources: [source] });
  await visit.page.locator('.thread-pane .source-row').waitFor();
}

describeInChromium('a message of one’s own', (stage) => {
  it('is scrolled into view from any position, in a room and in a thread', async () => {
    const visit = await stage.visit();
    const { page, newest, server } = visit;
    const say = (count: number, thread?: string) =>
      postMessage(server.world, 'general', {
        ...{ as: 'ben', text: `word ${count}`, files: [], nonce: `n${thread}${count}` },
        ...(thread ? { thread } : {}),
      });
    for (let count = 0; count < 60; count++) say(count);
    await page.reload();
    await page.getByText('word 59').waitFor();
    const scrolledUp = async (pane: string) => {
      const frame = page.locator(`${pane} .timeline`);
      await frame.evaluate((one) => {
        one.scrollTop = 0;
      });
      await expect.poll(() => frame.evaluate((one) => one.scrollTop)).toBe(0);
      await drawn(page);
    };
    await scrolledUp('.room-pane');
    await page.locator('.room-pane textarea').fill('mine, in the room');
    await page.locator('.room-pane textarea').press('Enter');
    await expect.poll(() => isSeen(visit, 'mine, in the room')).toBe(true);
    await ask(visit, '@knowledge long');
    newest().append('A line of the answer.\n\n'.repeat(60));
    newest().set({ state: 'done' });
    await page.locator('.thread-pane .reply.done').waitFor();
    await scrolledUp('.thread-pane');
    await page.locator('.thread-pane textarea').fill('mine, in the thread');
    await page.locator('.thread-pane textarea').press('Enter');
    await expect.poll(() => isSeen(visit, 'mine, in the thread')).toBe(true);
    await expect.poll(() => page.getByRole('button', { name: 'New messages' }).count()).toBe(0);
  });
});

const isSeen = ({ page }: Visit, text: string): Promise<boolean> =>
  page
    .getByText(text, { exact: true })
    .last()
    .evaluate((one) => {
      const box = one.getBoundingClientRect();
      const frame = one.closest('.timeline')?.getBoundingClientRect();
      return frame !== undefined && box.top >= frame.top && box.bottom <= frame.bottom;
    });

describeInChromium('a link', (stage) => {
  it.each([
    ['a missing room', 'nowhere'],
    ['the private conversation of another person', 'dm-ben-analyst'],
  ])('to %s shows that, and offers no composer', async (_, room) => {
    const visit = await stage.visit({ hash: `#/r/${room}` });
    const { page, server } = visit;
    await page.getByText('This room does not exist, or it is private').waitFor();
    await expect.poll(() => page.locator('textarea').count()).toBe(0);
    expect(await page.evaluate('location.hash')).toBe(`#/r/${room}`);
    await page.getByRole('button', { name: 'Go to general' }).click();
    await page.locator('.room-pane textarea').waitFor();
    expect(server.world.messages).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('to a missing thread shows that, and offers no composer', async () => {
    const { page } = await stage.visit({ hash: '#/r/general/t/nothing' });
    await page.locator('.thread-pane').getByText('There is no such thread here').waitFor();
    await expect.poll(() => page.locator('.thread-pane textarea').count()).toBe(0);
    await page.locator('.thread-pane .load-failed').getByRole('button', { name: 'Back to the room' }).click();
    await page.locator('.thread-pane').waitFor({ state: 'detached' });
    await page.locator('.room-pane textarea').waitFor();
  });
});

describeInChromium('Back', (stage) => {
  it('closes the panel first and then the thread on a phone', async () => {
    const visit = await stage.visit({ context: phone });
    const { page } = visit;
    await answered(visit);
    await page.locator('.source-row').click();
    await page.locator('.panel').waitFor();
    await page.goBack();
    await page.locator('.panel').waitFor({ state: 'detached' });
    await page.locator('.thread-pane').waitFor();
    await page.goForward();
    await page.locator('.panel').waitFor();
    await page.getByRole('button', { name: 'Close Sources' }).click();
    await page.locator('.panel').waitFor({ state: 'detached' });
    await page.locator('.thread-pane').waitFor();
    // Closing the panel also goes back one step in the browser's history, which happens a moment later.
    await expect.poll(() => page.evaluate('history.state')).toBe(null);
    await page.goBack();
    await page.locator('.thread-pane').waitFor({ state: 'detached' });
  });

  it('closes the panel in one step, however many sources were opened in it', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    await page.locator('.source-row').click();
    await page.locator('.panel').waitFor();
    await page.locator('.thread-pane .chip').click();
    await pressMore(page, 'Show timeline');
    await page.locator('.receipt').waitFor();
    await page.goBack();
    await page.locator('.panel').waitFor({ state: 'detached' });
    await page.locator('.thread-pane').waitFor();
  });
});

describeInChromium('a closed panel', (stage) => {
  /** Script for the page: delays `history.back()`, as a busy browser does. */
  const busy = `{
    const back = history.back.bind(history);
    history.back = () => setTimeout(back, 300);
    window.addEventListener('popstate', () => { window.wentBack = true; }, { once: true });
  }`;
  const wentBack = ({ page }: Visit) => expect.poll(() => page.evaluate('window.wentBack')).toBe(true);

  it('stays closed if its thread is closed right after it', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    await page.locator('.source-row').click();
    await page.locator('.panel').waitFor();
    await page.evaluate(busy);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await wentBack(visit);
    await page.locator('.room-pane .thread-row').waitFor();
    expect(await page.locator('.panel, .thread-pane').count()).toBe(0);
    expect(await page.evaluate('location.hash')).toBe('#/r/general');
    await page.goBack();
    await page.locator('.thread-pane').waitFor();
    expect(await page.locator('.panel').count()).toBe(0);
  });

  it('leaves a panel open that is opened right after it', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    await page.locator('.source-row').click();
    await page.locator('.panel').waitFor();
    await page.evaluate(busy);
    await page.keyboard.press('Escape');
    await pressMore(page, 'Show timeline');
    await wentBack(visit);
    await page.locator('.receipt').waitFor();
    await page.goBack();
    await page.locator('.panel').waitFor({ state: 'detached' });
    await page.locator('.thread-pane').waitFor();
  });
});

describeInChromium('Copy', (stage) => {
  it('copies plain text with its sources, numbered as they are shown', async () => {
    const visit = await stage.visit({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    const { page, newest } = visit;
    await ask(visit, '@knowledge how often?');
    newest().append(
      '## When\n\nEvery **six** months [7], see [the manual](https://docs.example/m).\n\n- one `a[7]`\n- two\n\n| part | time |\n|---|---|\n| gear | 6 |\n',
    );
    newest().set({
      state: 'done',
      sources: [
        { ...source, mark: 7, link: 'https://docs.example/manual' },
        { ...source, key: 'b', number: 2, title: 'Log book' },
      ],
    });
    // The button says "Copied" for 1.6 s only, so the test begins to wait for it before the click.
    const said = page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByRole('button', { name: 'Copy answer' }).click();
    await said;
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      [
        'When\n\nEvery six months [1], see the manual (https://docs.example/m).',
        '- one a[7]\n- two',
        'part · time\ngear · 6',
        'Sources\n[1] Manual: https://docs.example/manual\n[2] Log book',
      ].join('\n\n'),
    );
  });
});

describeInChromium('after a reconnect', (stage) => {
  it('the page shows no error from the time without a connection', async () => {
    const visit = await stage.visit();
    const { page, server } = visit;
    await answered(visit);
    await page.locator('.source-row').click();
    server.world.deaf = true;
    server.cutStreams();
    await page.getByText('The connection is lost').waitFor();
    await page.route('**/console/{rooms,replies}/**', (route) => route.abort());
    await page.locator('.thread-pane textarea').fill('kept for later');
    await page.locator('.thread-pane textarea').press('Enter');
    await page.getByRole('alert').waitFor();
    await pressMore(page, 'Show timeline');
    await page.locator('.panel .notice.error').waitFor();
    await page.getByRole('button', { name: 'field-service' }).click();
    await page.locator('.room-pane .load-failed').waitFor();
    await page.unroute('**/console/{rooms,replies}/**');
    server.world.deaf = false;
    await page.getByText('The connection is lost').waitFor({ state: 'detached' });
    await page.locator('.room-pane .timeline').waitFor();
    await page.goBack();
    await page.locator('.panel .receipt li').first().waitFor();
    await expect.poll(() => page.locator('.notice.error, .load-failed').count()).toBe(0);
    await expect.poll(() => page.locator('.thread-pane textarea').inputValue()).toBe('kept for later');
  });

  it('the page has one event stream, also if the browser is online while a try is due', async () => {
    const { page, server } = await stage.visit();
    await expect.poll(() => server.world.streams.size).toBe(1);
    server.world.deaf = true;
    server.cutStreams();
    await page.getByText('The connection is lost').waitFor();
    server.world.deaf = false;
    await page.evaluate("for (const _ of [1, 2, 3]) window.dispatchEvent(new Event('online'))");
    await page.getByText('The connection is lost').waitFor({ state: 'detached' });
    // Longer than the first wait between tries. A stream that is left open stays.
    await page.waitForTimeout(2_000);
    await expect.poll(() => server.world.streams.size).toBe(1);
  });

  it('the page catches up, even if the first fetch fails', async () => {
    const visit = await stage.visit();
    const { page, newest, server } = visit;
    await ask(visit, '@knowledge once more');
    server.world.deaf = true;
    server.cutStreams();
    await page.getByText('The connection is lost').waitFor();
    newest().append('All of it.');
    newest().set({ state: 'done' });
    server.world.events.splice(0, server.world.events.length - 1);
    // When the stream opens again, it tells the page to reload the state. Here, the first request for the state
    // fails.
    let looks = 0;
    await page.route('**/console/state', (route) =>
      server.world.streams.size > 0 && ++looks === 1 ? route.abort() : route.continue(),
    );
    server.world.deaf = false;
    await expect.poll(() => page.locator('.thread-pane .reply .markdown').innerText()).toBe('All of it.');
    await expect.poll(() => page.getByText('The connection is lost').count()).toBe(0);
    expect(looks).toBeGreaterThan(1);
  });
});

describeInChromium('Thinking', (stage) => {
  it('shows its duration after 10 s without progress, and starts over on progress', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await page.clock.install();
    await page.reload();
    await ask(visit, '@knowledge slowly');
    const status = page.locator('.thread-pane .reply-status');
    const steps = page.locator('.thread-pane .step');
    // From here on, the page's clock advances only by `runFor`.
    await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 60_000);
    const comes = async (name: string) => {
      newest().set({ steps: [{ id: '1', name, state: 'running' }] });
      await expect
        .poll(async () => {
          await page.clock.runFor(10);
          return steps.allInnerTexts();
        })
        .toEqual([expect.stringContaining(name)]);
      await page.clock.runFor(500);
    };
    await comes('Searching');
    await page.clock.runFor(8_000);
    expect(await status.innerText()).toBe('Thinking');
    await page.clock.runFor(4_000);
    expect(await status.innerText()).toMatch(/^Thinking · 1[0-4] s$/);
    await page.clock.runFor(60_000);
    expect(await status.innerText()).toMatch(/^Thinking · 1 min 1\d s$/);
    await comes('Reading');
    expect(await status.innerText()).toBe('Thinking');
  });
});
