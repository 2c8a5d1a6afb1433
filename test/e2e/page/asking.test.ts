import { expect, it } from 'vitest';
import { ask, describeInChromium } from './stage.ts';

/** A PNG image of one red pixel, in base64. */
const point =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const paste = `{
  const field = document.querySelector('.room-pane textarea');
  const bytes = Uint8Array.from(atob('${point}'), (char) => char.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], 'screenshot.png', { type: 'image/png' }));
  field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
}`;

describeInChromium('asking in the page', (stage) => {
  it('completes a mention with the keyboard only', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    const field = page.locator('.room-pane textarea');
    await field.focus();
    await page.keyboard.type('please @');
    await page.getByRole('listbox', { name: 'Names to mention' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const active = () => field.getAttribute('aria-activedescendant');
    await expect.poll(async () => page.locator(`[id="${await active()}"]`).innerText()).toContain('vision');
    await page.keyboard.press('Tab');
    await expect.poll(() => field.inputValue()).toBe('please @vision ');
    await page.keyboard.type('@kn');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('listbox').count()).toBe(0);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('look');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('closely');
    await page.keyboard.press('Enter');
    await page.locator('.thread-pane .reply').waitFor();
    expect(newest().question.text).toBe('please @vision look\nclosely');
    expect(newest().message.author.id).toBe('vision');
  });

  it('sends a pasted image, which can be removed before', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await page.locator('.room-pane textarea').waitFor();
    await page.evaluate(paste);
    const attached = page.locator('.attached img');
    await attached.waitFor();
    await page.getByRole('button', { name: 'Remove screenshot.png' }).click();
    await expect.poll(() => attached.count()).toBe(0);
    await page.evaluate(paste);
    await attached.waitFor();
    await ask(visit, '@vision what is this?');
    expect(newest().question.files.map((file) => file.name)).toEqual(['screenshot.png']);
    const picture = page.locator('.thread-pane .picture img');
    await expect.poll(() => picture.evaluate((image) => image.naturalWidth)).toBe(1);
    expect(visit.faults).toEqual([]);
  });

  it('keeps the draft and shows why if the server refuses, and sends it once later', async () => {
    const visit = await stage.visit();
    const { page, server, hands } = visit;
    const field = page.locator('.room-pane textarea');
    server.world.refusal = 'Your message could not be saved just now.';
    await field.fill('@knowledge remember me');
    await field.press('Enter');
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toBe('Your message could not be saved just now.');
    await expect.poll(() => field.inputValue()).toBe('@knowledge remember me');
    server.world.refusal = undefined;
    await field.press('Enter');
    await page.locator('.thread-pane .reply').waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
    expect(hands.length).toBe(1);
  });

  it('sends the same words again as another message, and keeps a draft for each thread over a reload', async () => {
    const visit = await stage.visit();
    const { page, hands } = visit;
    await ask(visit, '@knowledge first');
    const field = page.locator('.thread-pane textarea');
    for (let count = 1; count <= 3; count += 1) {
      await field.fill('ok');
      await field.press('Enter');
      await expect.poll(() => field.inputValue()).toBe('');
      await expect
        .poll(() => page.locator('.thread-pane').getByText('ok', { exact: true }).count())
        .toBe(count);
    }
    expect(hands.map(({ question }) => question.text).slice(1)).toEqual(['ok', 'ok', 'ok']);
    await page.locator('.thread-pane textarea').fill('half a follow-up');
    await page.locator('.room-pane textarea').fill('half a question');
    await page.reload();
    await expect.poll(() => page.locator('.thread-pane textarea').inputValue()).toBe('half a follow-up');
    await expect.poll(() => page.locator('.room-pane textarea').inputValue()).toBe('half a question');
    await page.getByRole('button', { name: 'Close thread' }).click();
    await page.getByRole('button', { name: 'field-service' }).click();
    await expect.poll(() => page.locator('.room-pane textarea').inputValue()).toBe('');
  });

  it('asks a suggestion as the current person', async () => {
    const visit = await stage.visit();
    const { page, newest, hands } = visit;
    await page.getByRole('button', { name: /You speak as Ada/ }).click();
    await page.getByRole('menuitemradio', { name: /Ben Okafor/ }).click();
    await ask(visit, '@knowledge first');
    newest().set({ state: 'done', suggestions: ['And on islands?'] });
    await page.getByRole('button', { name: 'And on islands?' }).click();
    await expect.poll(() => hands.length).toBe(2);
    expect(newest().question.text).toBe('And on islands?');
    expect(newest().question.author.id).toBe('ben');
    expect(newest().question.thread).toBe(hands[0]?.question.id);
  });

  it('shows people their own direct messages, and adds rooms', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await page.getByRole('button', { name: 'analyst' }).click();
    const field = page.locator('.room-pane textarea');
    await field.fill('just between us');
    await field.press('Enter');
    await page.locator('.room-pane .reply').waitFor();
    expect(newest().question.room).toBe('dm-ada-analyst');
    await page.getByRole('button', { name: 'New room' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('harbour');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'harbour', exact: true }).waitFor();
  });
});
