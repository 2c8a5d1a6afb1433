/** Introductions to the capabilities, shown before their operations. */

import type { Capability } from '../../src/platform/api.ts';

export const introductions: Readonly<Record<Capability, string>> = {
  auth: 'Both interfaces give out tokens. A client of the lite interface gets one for a platform user; a client of the Open API signs its request and gets one for an account; the token of an identity provider can be exchanged for one too. You rarely call these yourself: `Platform.client` signs in, renews before a token ends, and asks once more when one was refused.',
  chat: "The lite interface is asked by an API key, which decides the agent and keeps no history (earlier turns travel as messages), or by a token and the agent's id, where the platform keeps the conversation. Answers come whole or as a stream of events; the client understands many dialects of both.",
  images:
    'Images that belong to a question are uploaded first and named in the question by their ids. PNG, JPEG, GIF and WebP are taken, at most ten with a question and 10 MiB each. Upload them for each question: how long an id lives is not documented.',
  clients:
    "Clients of the lite interface hold an id and a secret, with which they obtain [tokens](auth.md#clienttoken). Only the administrator's token opens these operations, and a secret is told once, when its client is created.",
  media:
    'An answer shows an image as a number; the number is exchanged for a temporary link, and the link is fetched with the token. A document is looked up first and then previewed. Links expire within minutes and are never passed on to people.',
  lite: 'Users, assistants and uploads as the lite interface knows them. Deployments differ in whether the paths begin with `/webapi`: both are tried, and what succeeded is remembered; `platform.liteAdminPrefix` settles it.',
  experts:
    'The Open API asks a published agent by its code, in a session that the platform keeps. An answer comes whole or grows, with the thoughts, media and suggested questions that the agent gives. The latest session id that an answer tells is the one to go on with.',
  references:
    'What a finished answer was drawn from: fragments with their title and score. They may come a moment after the answer. Several fragments of one document share its title, and only files have an address.',
  bots: 'A bot is an agent that is described by a record: its names, greeting, prompt, model, and what it answers from. Once created it is asked by its code, like every [expert](experts.md). The platform documents no operation that reads, changes or deletes one.',
  files:
    'Files live in knowledge workspaces. An upload is kept at once and read after that; it can be found when its `chunkingState` is `success`. Uploads are streamed, so a large file costs no memory.',
  qna: 'Pairs of questions and their answer are kept in a knowledge workspace, each in as many wordings as you like. The platform stores them and does not search them yet.',
  retrieval:
    "Searches knowledge workspaces for fragments, by words, by meaning, or by both with their ranks fused. Nothing is filtered again on our side: the platform's order and scores are kept as they come.",
  workspaces:
    'Knowledge workspaces hold files and are grouped by category. Files are addressed by the name of their workspace, so give no name twice. No operation reads a workspace whole, so an update names what it leaves out.',
  types:
    'Every knowledge workspace has a type, with a title in each language. An update replaces the whole record. The sandbox deletes no type that a workspace uses; what a deployment does then is not documented.',
  users:
    'Users of the Open API. A user has an account id and a user id, and wherever a code is asked for, an id or the user name will do. Lists of ids and names are never mixed in one call.',
  roles:
    'Roles open knowledge workspaces and other things to users. Roles that a user has only through an organization are not among those listed here, nor are roles that open nothing.',
  orgs: 'Organizations form a tree, and users belong to them. An organization is named by its id or by its code, which is unique. One with others below it, or with users, is not deleted by the sandbox; what a deployment does then is not documented.',
};
