/** The section `identity`: people and their platform accounts. */

import { z } from 'zod';
import { isReserved } from '../core/agents/access.ts';
import { numberSetting, textSetting } from '../settings/values.ts';

/** Name of a platform account in the operator's settings. */
export const accountName = z
  .string()
  .min(1)
  .refine((account) => !isReserved(account), {
    error:
      'must not end like "(CHANNEL/WORKSPACE/ID)", because only accounts of people with their own token do',
  });

const mapping = z
  .strictObject({
    channel: textSetting('Channel to which the entry applies; if absent, every channel').optional(),
    tenant: textSetting('Workspace to which the entry applies; if absent, every workspace').optional(),
    person: textSetting("The person's id in the channel").optional(),
    email: z.email().optional().describe("The person's e-mail address, if no id is given"),
    account: accountName.describe('The platform account that agents use for this person'),
  })
  .describe('A person and their platform account');

export const identitySetting = z
  .strictObject({
    table: z
      .array(mapping)
      .max(10_000)
      .prefault([])
      .describe('Platform accounts of people; the first matching entry applies'),
    file: textSetting(
      'Path of a CSV file that maps people to platform accounts; used for people without an entry in identity.table. The file is read again when it changes',
    ).optional(),
    linkDays: numberSetting(
      1,
      365,
      'Days until a link ends. With the command `link`, people link themselves to an account of the table or file; if linkDays is absent, they cannot',
    ).optional(),
    unmapped: z
      .enum(['service', 'refuse'])
      .default('service')
      .describe(
        'What happens to questions of people without a platform account: they are asked with the service account (service) or refused (refuse)',
      ),
    rooms: z
      .enum(['service', 'asker'])
      .default('service')
      .describe(
        "Account that agents use in rooms: the room's service account (service), or the account of the person who asks (asker)",
      ),
  })
  .describe('Platform accounts that agents use');
