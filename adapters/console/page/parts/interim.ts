export type { Block as MarkdownBlock, Inline as MarkdownInline } from '../../../../src/render/blocks.ts';
export { createGrowingMarkdown } from '../../../../src/render/growing.ts';
