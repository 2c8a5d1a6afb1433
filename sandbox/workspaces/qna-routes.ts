import type { Call } from '../http/call.ts';
import { asFields, type Fields } from '../http/fields.ts';
import { member, objectBody, requiredMember } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { openWorkspace, type WorkspaceDeps } from './deps.ts';
import type { Pair } from './pairs.ts';

/** Question-answer pairs (platform contract QNA-1). */
export function qnaRoutes(parts: WorkspaceDeps): readonly Route[] {
  return [
    {
      id: 'createQna',
      method: 'POST',
      path: '/v1/openapi/workspace/qna/create',
      face: 'open',
      handle: (call) => create(parts, call),
    },
  ];
}

async function create(parts: WorkspaceDeps, call: Call): Promise<Reply> {
  const account = parts.gatekeeper.openAccount(call);
  const fields = await objectBody(call);
  const workspace = openWorkspace(parts, account, requiredMember(fields, 'workspace'));
  parts.pairs.add({
    workspace: workspace.id,
    questions: questionsOf(fields),
    answer: requiredMember(fields, 'answer'),
    metadatas: metadatasOf(member(fields, 'metadatas')),
    createdBy: account.userName,
  });
  return openReply(null);
}

function questionsOf(fields: Fields): readonly string[] {
  const value = member(fields, 'questions');
  const usable = (item: unknown): item is string => typeof item === 'string' && item.trim() !== '';
  if (!Array.isArray(value) || value.length === 0 || !value.every(usable)) {
    throw declined('The parameter questions must be an array of at least one question.');
  }
  return value;
}

function metadatasOf(value: unknown): Pair['metadatas'] {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value.map(asFields) : [undefined];
  return items.map((item) => {
    const { typeCode, content } = item ?? {};
    if (typeof typeCode !== 'string' || typeCode === '' || typeof content !== 'string') {
      throw declined('The parameter metadatas must be an array of objects with typeCode and content.');
    }
    return { typeCode, content };
  });
}
