import { createCalls } from '../../../adapters/slack/api/calls.ts';
import { createCaller, createSender } from '../../../adapters/slack/api/sender.ts';
import type { Workspaces } from '../../../adapters/slack/api/workspace.ts';
import type { Clock } from '../../../src/kit.ts';
import { quiet } from '../../fakes/quiet.ts';

/** Calls of Slack without rate limits. */
export const freeCalls = (apiUrl: string, clock: Clock, workspaces: Workspaces) =>
  createCalls(
    createSender(createCaller(apiUrl, quiet), workspaces),
    clock,
    quiet,
    new AbortController().signal,
  );
