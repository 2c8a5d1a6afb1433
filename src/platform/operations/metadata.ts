import { z } from 'zod';
import { wired } from '../wire/facts.ts';
import { anyText, coded, text } from '../wire/members.ts';

/** Entries of metadata: JSON inside a string, whose `limit` is JSON inside a string again (platform contract WSP-10). */
const entry = z.strictObject({
  name: text('Name of the entry'),
  type: coded({ text: 0, option: 1 }, 'Free text, or one of the options').default('text'),
  limit: wired(z.array(z.string()).describe('The options, for that type'), { as: 'json' }).optional(),
  value: anyText('Its value, where a file has it').optional(),
});

export const metadataTemplate = z.array(entry).describe('Entries of metadata');
export type MetadataEntry = z.input<typeof entry>;
