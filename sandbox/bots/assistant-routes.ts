import type { ListedAgent } from '../agents/directory.ts';
import { permissionMissing } from '../auth/identity.ts';
import { type Call, param } from '../http/call.ts';
import { asFields, type Fields, optionalFlag } from '../http/fields.ts';
import { invalid, missing } from '../http/refusal.ts';
import { liteReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { assistantConduct } from './assistant-record.ts';
import type { BotParts } from './bot-routes.ts';

/** Assistants of the lite interface, with and without `/webapi` (platform contract ADM-4 to ADM-14). */
export const assistantRoutes = (parts: BotParts): readonly Route[] =>
  ['', '/webapi'].flatMap((prefix): readonly Route[] => [
    {
      id: 'createAssistant',
      method: 'POST',
      path: `${prefix}/lite_api/v1/robots/`,
      face: 'lite',
      handle: (call) => create(parts, call),
    },
    // The documents say POST and show GET (platform contract INC-1).
    ...(['GET', 'POST'] as const).map(
      (method): Route => ({
        id: 'getAssistant',
        method,
        path: `${prefix}/lite_api/v1/robots/{robot_id}`,
        face: 'lite',
        handle: (call) => get(parts, call),
      }),
    ),
  ]);

async function create({ gatekeeper, directory, workspaces }: BotParts, call: Call): Promise<Reply> {
  if (gatekeeper.liteAccount(call).role !== 'admin') throw invalid(permissionMissing('to write assistants'));
  const record = await call.fields();
  if (record.info === undefined || record.info === null) throw missing('info');
  const conduct = assistantConduct(record, (nameOrId) => workspaces.find(nameOrId)?.id);
  const description = asFields(record.info)?.description;
  directory.add({ description: typeof description === 'string' ? description : '', conduct, record });
  return liteReply(null);
}

async function get({ gatekeeper, directory }: BotParts, call: Call): Promise<Reply> {
  const { role } = gatekeeper.liteAccount(call);
  await checkInternalUse(call);
  const id = param(call, 'robot_id');
  const agent = directory.withUuid(id);
  if (agent === undefined) throw invalid(`The assistant ${id} is unknown.`);
  return liteReply(recordOf(agent, role === 'admin'));
}

/** In the query of a GET, in the body of a POST (platform contract ADM-5). Both answers are the same here. */
async function checkInternalUse(call: Call): Promise<void> {
  if (call.request.method === 'POST') optionalFlag(await call.fields(), 'internal_use');
  const inQuery = call.query.get('internal_use');
  if (inQuery !== null && !/^(true|false)$/i.test(inQuery)) {
    throw invalid('The parameter internal_use must be true or false.');
  }
}

/** The record as it was sent, with what only the platform knows (platform contract ADM-10). Other agents have a name. */
function recordOf({ uuid, title, description, made }: ListedAgent, manageable: boolean): Fields {
  const info = asFields(made?.record.info);
  const own = { id: uuid, manageable };
  if (made !== undefined && info !== undefined) return { ...made.record, info: { ...info, ...own } };
  return { info: { name: title, description, is_published: true, ...own } };
}
