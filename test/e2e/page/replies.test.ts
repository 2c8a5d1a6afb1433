import { expect, it } from 'vitest';
import { postMessage } from '../../fakes/console-world.ts';
import { ask, describeInChromium, drawn } from './stage.ts';

describeInChromium('a reply in the page', (stage) => {
  it('shows its activity and steps while it thinks, then grows in place to the whole answer', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await ask(visit, '@knowledge how often?');
    const reply = page.locator('.thread-pane .reply');
    const status = reply.locator('.reply-status');
    await expect.poll(() => status.innerText()).toContain('Thinking');
    newest().set({ meanwhile: 'The question was edited. Asking again…' });
    await expect.poll(() => status.innerText()).toContain('The question was edited. Asking again…');
    newest().set({ steps: [{ id: '1', name: 'Searched the manuals', state: 'running' }] });
    await expect.poll(() => reply.locator('.step').innerText()).toContain('Searched the manuals');
    newest().set({
      state: 'writing',
      steps: [{ id: '1', name: 'Searched the manuals', state: 'done', elapsedMs: 1_200 }],
    });
    newest().append('Every **six ');
    await expect.poll(() => reply.locator('.markdown').innerText()).toContain('Every **six');
    expect(await status.count()).toBe(0);
    const paragraph = await reply.locator('.markdown p').elementHandle();
    newest().append('months**, and more often near the sea.');
    await expect.poll(() => reply.locator('.markdown strong').innerText()).toBe('six months');
    expect(await paragraph?.evaluate((node) => node.isConnected)).toBe(true);
    newest().set({ state: 'done' });
    await expect
      .poll(() => page.locator('[data-announcer=polite]').innerText())
      .toContain('knowledge answered: Every six months');
    await expect.poll(() => page.locator('.thread-pane .message.agent').count()).toBe(1);
    expect(visit.faults).toEqual([]);
  });

  it('leaves the blocks above untouched while its end grows', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await ask(visit, '@knowledge a long one');
    newest().set({ state: 'writing' });
    newest().append('# First\n\nOne.\n\n```js\nlet a = 1;\n```\n\nLast');
    const above = page.locator('.thread-pane .reply .markdown > *').first();
    await above.waitFor();
    await page.locator('.thread-pane .reply .hljs-keyword').waitFor();
    await page.evaluate(`new MutationObserver((all) => { window.touched = (window.touched ?? 0) + all.length; })
      .observe(document.querySelector('.thread-pane .reply .markdown .code'), { subtree: true, childList: true, characterData: true, attributes: true })`);
    for (let count = 0; count < 20; count++) newest().append(` word ${count}`);
    await expect.poll(() => page.locator('.thread-pane .reply .markdown').innerText()).toContain('word 19');
    await expect.poll(() => page.evaluate('window.touched ?? 0')).toBe(0);
  });

  it('keeps its text when it is stopped, and asks again in the same message on Retry', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await ask(visit, '@knowledge slowly please');
    newest().set({ state: 'writing' });
    newest().append('So far');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => newest().stopped()).toBe(true);
    await expect.poll(() => page.locator('.thread-pane .ending').innerText()).toBe('Stopped');
    await expect.poll(() => page.locator('.thread-pane .reply .markdown').innerText()).toContain('So far');
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Regenerate' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => page.locator('.thread-pane .reply-status').innerText()).toContain('Thinking');
    await expect.poll(() => page.locator('.thread-pane .message.agent').count()).toBe(1);
  });

  it('shows how many questions are ahead, offers its person to ask it instead, and shows why it failed', async () => {
    const visit = await stage.visit();
    const { page, newest, server } = visit;
    await ask(visit, '@knowledge and this one?');
    const button = page.getByRole('button', { name: 'Ask this instead' });
    const status = page.locator('.thread-pane .reply-status');
    newest().set({ state: 'waiting', ahead: 0 });
    await expect.poll(() => status.innerText()).toContain('Waiting');
    expect(await button.count()).toBe(0);
    newest().set({ state: 'waiting', ahead: 2 });
    await expect.poll(() => status.innerText()).toBe('Waiting · 2 questions ahead');
    await button.waitFor();
    await button.click();
    await expect
      .poll(() => server.world.acts)
      .toMatchObject([{ turn: newest().message.reply?.turn, what: 'instead' }]);
    newest().set({ state: 'thinking' });
    await button.waitFor({ state: 'detached' });
    const notices = [{ tone: 'error', text: 'The agent went silent.' }] as const;
    newest().set({ state: 'failed', retry: true, notices });
    await expect.poll(() => page.locator('.thread-pane .notice').innerText()).toBe(notices[0].text);
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(1);
    const said = { as: 'ben', text: '@knowledge not mine', files: [], nonce: 'ben-1' };
    postMessage(server.world, 'general', { ...said, thread: newest().message.thread });
    newest().set({ state: 'waiting', ahead: 1 });
    await expect.poll(() => page.locator('.thread-pane').innerText()).toContain('not mine');
    await expect.poll(() => status.last().innerText()).toContain('Waiting');
    expect(await button.count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });

  it('continues after a lost connection without a gap, and is fetched again if there is one', async () => {
    const visit = await stage.visit();
    const { page, newest, server } = visit;
    await ask(visit, '@knowledge through the storm');
    newest().set({ state: 'writing' });
    newest().append('before ');
    const text = page.locator('.thread-pane .reply .markdown');
    await expect.poll(() => text.innerText()).toContain('before');
    server.world.deaf = true;
    server.cutStreams();
    await page.getByText('The connection is lost').waitFor();
    newest().append('while away ');
    server.world.deaf = false;
    await page.getByText('The connection is lost').waitFor({ state: 'detached' });
    newest().append('after');
    await expect.poll(() => text.innerText()).toBe('before while away after');
    server.world.deaf = true;
    server.cutStreams();
    await page.getByText('The connection is lost').waitFor();
    newest().append(', and two');
    newest().set({ state: 'done' });
    server.world.events.splice(0, server.world.events.length - 1);
    server.world.deaf = false;
    await expect.poll(() => text.innerText()).toBe('before while away after, and two');
  });

  it('is scrolled to its end only while the person is there', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await ask(visit, '@knowledge very long');
    newest().set({ state: 'writing' });
    newest().append('A line of the answer.\n\n'.repeat(60));
    const frame = page.locator('.thread-pane .timeline');
    await expect.poll(() => frame.getByText('A line of the answer.').count()).toBe(60);
    const fromEnd = () => frame.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);
    await expect.poll(fromEnd).toBeLessThan(3);
    await frame.evaluate((e) => {
      e.scrollTop = 0;
    });
    await drawn(page);
    newest().append('And more.\n\n'.repeat(10));
    const pill = page.getByRole('button', { name: 'New messages' });
    await pill.waitFor();
    expect(await frame.evaluate((e) => e.scrollTop)).toBe(0);
    await pill.click();
    await expect.poll(fromEnd).toBeLessThan(3);
    await pill.waitFor({ state: 'detached' });
  });
});
