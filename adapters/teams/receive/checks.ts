/** Whether a proven request says what its token says, and is for us. */

import { type Plain, text } from '../../../src/kit/json.ts';
import type { Bearer } from './bearer.ts';
import { tenantOf } from './decode.ts';

const CHANNEL_ID = 'msteams';

/** Why it is refused; nothing where it is not. */
export function refusalOf(
  activity: Plain,
  { serviceUrl }: Pick<Bearer, 'serviceUrl'>,
  tenant: string,
): 'channel' | 'service' | 'tenant' | undefined {
  if (activity.channelId !== CHANNEL_ID) return 'channel';
  if (text(activity.serviceUrl) !== serviceUrl) return 'service';
  return tenantOf(activity) === tenant.toLowerCase() ? undefined : 'tenant';
}
