/** What Parley itself says in Teams: short, plain, kind. */

export const words = {
  imageMark: '▣',
  table: (number: number) => `▦ Table ${number}`,
} as const;
