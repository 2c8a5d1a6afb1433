/** Introductory texts of the capabilities. The reference shows them before the operations. */

import type { Capability } from '../../src/platform/api.ts';

export const introductions: Readonly<Record<Capability, string>> = {
  auth: 'Both interfaces issue tokens: a client of the lite interface gets a token for a platform user, and a client of the Open API signs its request and gets a token for an account. You can also exchange a token of an identity provider for a token of the Open API. You rarely call these operations yourself: `Platform.client` signs in, renews a token before it expires, and repeats a request once if its token was refused.',
  chat: "Ask an agent of the lite interface in one of two ways. With an API key, the key decides the agent, and the platform keeps no history, so earlier questions and answers are sent as messages. With a token and the agent's id, the platform keeps the conversation. Answers arrive whole or as a stream of events; the client can read many forms of both.",
  images:
    'Upload the images of a question first, and name their ids in the question. A question can have at most ten PNG, JPEG, GIF or WebP images of 10 MiB each. Upload them for each question, because the lifetime of an id is not documented.',
  clients:
    "Clients of the lite interface have an id and a secret, with which they get [tokens](auth.md#clienttoken). These operations need the administrator's token. The platform returns a secret only once, when its client is created.",
  media:
    'An answer shows an image as a number. Exchange the number for a temporary link, and fetch the link with the token. For a document, get its details first, then its preview. Links expire within minutes, and people never see them.',
  lite: 'These operations read and create users, read and create assistants, and upload files, all in the lite interface. In some deployments the paths begin with `/webapi`: the client tries both forms and remembers the one that succeeded. `platform.liteAdminPrefix` sets the form.',
  experts:
    'Ask a published agent of the Open API by its code, in a session that the platform keeps. An answer arrives whole or as a stream, with the thoughts, media and suggested questions of the agent. To continue a conversation, send the session id of the latest answer.',
  references:
    'Lists the sources of a finished answer: passages with their title and score. Sources may become available a moment after the answer. Several passages of one document share its title, and only files have an address.',
  bots: 'A bot is an agent that a record describes: its names, greeting, prompt, model and knowledge. After you create it, ask it by its code, like every [expert](experts.md). The platform documents no operation that reads, changes or deletes a bot.',
  files:
    'Knowledge workspaces contain files. The platform stores an upload first and reads it afterwards; retrieval finds it once its `chunkingState` is `success`. Uploads are streamed, so a large file is never held in memory.',
  qna: 'A question-answer pair has one answer and one or more wordings of its question. It belongs to a knowledge workspace. The platform stores pairs and does not search them yet.',
  retrieval:
    "Searches knowledge workspaces for passages: by words, by meaning, or by both with combined ranks. The client does not filter the results and keeps the platform's order and scores.",
  workspaces:
    'Knowledge workspaces contain files and are grouped by category. Files are addressed by the name of their workspace, so use each name only once. No operation returns a whole workspace, so an update must name the members that it omits.',
  types:
    'Every knowledge workspace has a type, with a title in each language. An update replaces the whole record. The sandbox does not delete a type that a workspace uses; the behavior of a deployment is not documented.',
  users:
    'Users of the Open API. A user has an account id and a user id. Where a code is needed, give an id or the user name. One call takes a list of ids or a list of names, never both.',
  roles:
    'Roles give users access to knowledge workspaces and other resources. These operations do not list roles that a user has only through an organization, or roles that give no access.',
  orgs: 'Organizations form a tree, and users belong to them. Name an organization by its id or by its unique code. The sandbox does not delete an organization that has users or organizations below it; the behavior of a deployment is not documented.',
};
