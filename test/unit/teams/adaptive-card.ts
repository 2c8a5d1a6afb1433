/** Cards as Microsoft's own renderer reads them. */

import { createRequire } from 'node:module';

/** Its module for Node is CommonJS; the other one leaves the endings of file names out. */
const { AdaptiveCard, SerializationContext, Versions }: typeof import('adaptivecards') = createRequire(
  import.meta.url,
)('adaptivecards/dist/adaptivecards.js');

/** What is wrong with a card of version 1.5, by the renderer's own words. */
export function faultsOf(content: unknown): readonly string[] {
  const context = new SerializationContext(Versions.v1_5);
  const card = new AdaptiveCard();
  card.parse(content, context);
  const read = Array.from({ length: context.eventCount }, (_, at) => context.getEventAt(at).message);
  return [...read, ...card.validateProperties().validationEvents.map(({ message }) => message)];
}
