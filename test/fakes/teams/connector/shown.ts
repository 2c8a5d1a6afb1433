/** Returns the visible content of an activity. */

import { child, type Json, list, text } from '../read.ts';
import { nothing, type Shown } from '../shapes.ts';

/** The kind of the message's feedback buttons. */
export const thumbsOf = ({ channelData }: Pick<Shown, 'channelData'>): string | undefined =>
  text(child(channelData, 'feedbackLoop'), 'type');

export const shownOf = (activity: Json): Shown => ({
  ...nothing,
  text: text(activity, 'text') ?? '',
  textFormat: text(activity, 'textFormat') ?? 'markdown',
  attachments: list(activity, 'attachments'),
  entities: list(activity, 'entities').filter(({ type }) => type !== 'streaminfo'),
  suggested: list(child(activity, 'suggestedActions'), 'actions'),
  channelData: child(activity, 'channelData') ?? {},
});
