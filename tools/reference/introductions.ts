/** Introductory texts of the capabilities. The reference shows them before the operations. */

import type { Capability } from '../../src/platform/api.ts';

export const introductions: Readonly<Record<Capability, string>> = {
  auth: 'Both interfaces issue tokens. A client of the lite interface gets a token for a platform user. A client of the Open API signs its request and gets a token for an account; alternatively, you exchange a token of an identity provider for a token of the Open API. You rarely call these operations yourself, because `Platform.client` signs in, renews each token before the token expires, and repeats a request once if the platform refuses the token.',
  chat: "These operations ask an agent of the lite interface. If you ask with an API key, the key decides which agent answers; the platform keeps no history, so send earlier questions and answers as messages with each question. If you ask with a token and the agent's id, the platform keeps the conversation. An answer arrives whole or as a stream of events, and Parley's client accepts many forms of each.",
  images:
    'Before you ask a question with images, upload the images; then put the ids of the images into the question. A question can have at most ten PNG, JPEG, GIF or WebP images of at most 10 MiB each. Upload the images again for each question, because the platform does not document how long an id stays valid.',
  clients:
    "A client of the lite interface has an id and a secret, and gets [tokens](auth.md#clienttoken) with them. The operations on this page need the administrator's token. The platform returns the secret of a client only once, in the result of `createClient`.",
  media:
    "An answer contains an image as a number, which is the id of a file. To get the image, exchange the number for a temporary link, and fetch the link with the token. To show a document, read the document's details first, and then request a preview with these details. A temporary link expires within minutes, and Parley does not show such links to people.",
  lite: 'These operations read and create users, read and create assistants, and upload files, all in the lite interface. In some deployments, the paths of the operations on users and assistants begin with `/webapi`. The client tries the path without `/webapi` and then with it, and remembers which path succeeded. If you set `platform.liteAdminPrefix: /webapi`, the client uses only the paths with `/webapi`.',
  experts:
    'The operation on this page asks a published agent of the Open API by its code, in a session that the platform keeps. An answer arrives whole or as a stream, with the thoughts, media and suggested questions of the agent. To continue a conversation, send the session id of the latest answer with the next question.',
  references:
    'The operation on this page lists the sources of a finished answer. Each item is a passage with the title and the score of its source, so several passages of one document have the same title. Only files have an address. The sources may become available a moment after the answer.',
  bots: 'A bot is an agent of the Open API. You create a bot from a record, which contains its names, greeting, prompt, model and knowledge. After that, you ask the bot by its code, like every [expert](experts.md). The platform documents no operation that reads, changes or deletes a bot.',
  files:
    'Knowledge workspaces contain files. The platform first stores an uploaded file, and reads the file afterwards. Retrieval finds the file when the `chunkingState` of the file is `success`. The client streams each upload, so it never holds a large file in memory.',
  qna: 'A question-answer pair has one answer, and its question in one or more wordings. Each pair belongs to a knowledge workspace. The platform stores pairs, but its search does not find pairs yet.',
  retrieval:
    'The operation on this page searches knowledge workspaces for passages. It searches by words, by meaning, or by both; after a search by both, the platform combines the ranks of the two results. The client does not filter the results, and keeps the order and the scores of the platform.',
  workspaces:
    'Knowledge workspaces contain files, and each workspace belongs to a category. Give each workspace a different name, because requests for files name the workspace by its name. No operation returns a whole workspace, so the client cannot fill in fields that are absent from an update. Leave out a field only on purpose, and then name the field in `omit`.',
  types:
    "Every knowledge workspace has a type, and a type has a title in each language. An update replaces the whole record of the type. The sandbox does not delete a type that a workspace uses. The platform's documentation does not say whether a deployment deletes such a type.",
  users:
    'These operations manage the users of the Open API. A user has an account id, a user id and a user name. Where an operation needs the code of a user, give the user id or the user name. Where an operation takes a list of codes, give either ids or user names, never both in one list.',
  roles:
    'Roles give users access to knowledge workspaces and other resources. When these operations list the roles of a user, they leave out two kinds of roles: roles that the user has only through an organization, and roles that give no access.',
  orgs: "Organizations form a tree, and users belong to organizations. Name an organization by its id or by its code, which is unique. The sandbox deletes an organization only if it has no users and if the same call deletes all organizations below it. The platform's documentation does not say under which conditions a deployment deletes an organization.",
};
