import { expect, it } from 'vitest';
import { createReader } from '../../../sandbox/workspaces/reading.ts';

const file = (text: string, type = 'md') => ({ type, bytes: new Uint8Array(Buffer.from(text)) });
const limits = { milliseconds: 60_000, heapMib: 256 };
const ever = new AbortController().signal;

it('reads one file after another, and reports why a file cannot be read', async () => {
  const reader = createReader(limits, ever);
  expect(await reader.read(file('Hello'))).toEqual([{ kind: 'paragraph', text: 'Hello' }]);
  await expect(reader.read(file('Hello', 'constructor'))).rejects.toThrow(
    'Files of type constructor are not read.',
  );
  await expect(reader.read(file('Hello', ''))).rejects.toThrow('Files without a type are not read.');
  await expect(reader.read(file('a\0b'))).rejects.toThrow('not text');
  expect(await reader.read(file('# Again', 'html'))).toEqual([{ kind: 'paragraph', text: '# Again' }]);
  await reader.stop();
  await reader.stop();
});

it('stops reading a file that never ends, and reads the next one', async () => {
  const reader = createReader({ ...limits, milliseconds: 300 }, ever);
  await expect(reader.read(file('['.repeat(2_000_000)))).rejects.toThrow('takes longer than 0.3 s');
  await reader.stop();
  const next = createReader(limits, ever);
  expect(await next.read(file('Hello'))).toHaveLength(1);
  await next.stop();
});

it('survives a file that uses up all memory', async () => {
  const reader = createReader({ ...limits, heapMib: 24 }, ever);
  await expect(reader.read(file('a\n\n'.repeat(1_500_000)))).rejects.toThrow('too much memory');
  expect(await reader.read(file('Hello'))).toHaveLength(1);
  await reader.stop();
});

it('ends at once when the sandbox closes', async () => {
  const closing = new AbortController();
  const reader = createReader(limits, closing.signal);
  const reading = reader.read(file('['.repeat(2_000_000)));
  closing.abort();
  await expect(reading).rejects.toThrow();
  await reader.stop();
});
