/** Checks cards with Microsoft's renderer. */

import { createRequire } from 'node:module';

/**
 * Loads the CommonJS build of the package. Node cannot load the other build, because the imports in it lack file
 * extensions.
 */
const { AdaptiveCard, SerializationContext, Versions }: typeof import('adaptivecards') = createRequire(
  import.meta.url,
)('adaptivecards/dist/adaptivecards.js');

/** Returns the renderer's complaints about a card of version 1.5. */
export function faultsOf(content: unknown): readonly string[] {
  const context = new SerializationContext(Versions.v1_5);
  const card = new AdaptiveCard();
  card.parse(content, context);
  const read = Array.from({ length: context.eventCount }, (_, at) => context.getEventAt(at).message);
  return [...read, ...card.validateProperties().validationEvents.map(({ message }) => message)];
}
