/** Outlines of the icons, drawn for this page on a grid of 20 by 20. */
const strokes = {
  hash: 'M7.5 3.5 6 16.5M14 3.5l-1.5 13M3.5 7.5h13M3 12.5h13',
  plus: 'M10 4v12M4 10h12',
  send: 'M3.8 10 16.5 4l-4.2 12.5-2.8-5.2zM9.5 11.3l3-3',
  clip: 'm15.5 9.2-5.6 5.6a3.3 3.3 0 0 1-4.7-4.7l6-6a2.2 2.2 0 0 1 3.1 3.1l-5.9 5.9a1.1 1.1 0 0 1-1.6-1.6l5.2-5.2',
  left: 'M12.5 5 7.5 10l5 5',
  thumbUp:
    'M6.5 9v7h-3V9zM6.5 9.5 9.8 3.4c1.5 0 2 1.1 1.8 2.3l-.5 2.8h4.1c1 0 1.7.9 1.5 1.9l-1 4.2c-.2.8-.9 1.4-1.7 1.4H6.5',
  thumbDown:
    'M6.5 11V4h-3v7zM6.5 10.5l3.3 6.1c1.5 0 2-1.1 1.8-2.3l-.5-2.8h4.1c1 0 1.7-.9 1.5-1.9l-1-4.2C15.5 4.6 14.8 4 14 4H6.5',
  pen: 'm4 16 .8-3.6L13.6 3.6l2.8 2.8-8.8 8.8z',
  bin: 'M4 5.5h12M8 5.5V3.8h4v1.7M5.5 5.5l.8 11h7.4l.8-11M8.5 8.5v5M11.5 8.5v5',
  lock: 'M5 9.5h10v7H5zM7 9.5V7a3 3 0 0 1 6 0v2.5',
  retry: 'M4 10a6 6 0 1 0 2-4.5M4 3.5v3.2h3.2',
  copy: 'M7.5 7.5h8v8.5h-8zM12.5 7.5V4h-8v8.5h3',
  check: 'm4.5 10.5 3.7 3.7 7.3-8',
  close: 'm5 5 10 10M15 5 5 15',
  back: 'M11.5 4.5 6 10l5.5 5.5M6.5 10H16',
  menu: 'M3.5 6h13M3.5 10h13M3.5 14h8',
  chevron: 'm7.5 5 5 5-5 5',
  down: 'M10 4v11.5M5 10.8l5 5 5-5',
  updown: 'm6.5 7.5 3.5-3.5 3.5 3.5M6.5 12.5 10 16l3.5-3.5',
  share: 'M10 12.5V3.8M6.5 7 10 3.5 13.5 7M4 11.5v4.8h12v-4.8',
  pulse: 'M2.5 10.5h3.2l2-5.5 3.8 10.5 2.3-6.5 1 1.5h2.7',
  thread: 'M3.5 5h13v8.5h-7l-3.5 3v-3H3.5zM7 8h6M7 10.5h3.5',
  ask: 'M3.5 4.5h13v9h-7l-3.5 3v-3H3.5zM10 6.6v4.8M7.6 9h4.8',
  file: 'M5 3.5h6.5L15 7v9.5H5zM11.5 3.5V7H15',
  image: 'M3.5 4.5h13v11h-13zM3.5 13l3.7-3.5 3 2.8 2.3-2.1 4 3.3M12.8 7.8h.01',
  open: 'M11 3.8h5.2V9M16 4l-7 7M8 5H4v11h11v-4',
  warn: 'M10 3.5 17.5 16h-15zM10 8v3.8M10 13.9v.01',
  info: 'M10 3.3a6.7 6.7 0 1 1 0 13.4 6.7 6.7 0 0 1 0-13.4zM10 9.3v4M10 6.7v.01',
  sun: 'M10 6.8a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1 0-6.4zM10 2.5v1.5M10 16v1.5M2.5 10H4M16 10h1.5M4.7 4.7l1 1M14.3 14.3l1 1M15.3 4.7l-1 1M5.7 14.3l-1 1',
  moon: 'M16 12.2A6.7 6.7 0 0 1 7.8 4a6.7 6.7 0 1 0 8.2 8.2z',
  search: 'M9 3.8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 0 1 9 3.8zM12.8 12.8l3.7 3.7',
  bell: 'M5.2 13.5V9a4.8 4.8 0 0 1 9.6 0v4.5l1.5 1.3H3.7zM8.4 17h3.2',
  bellOff: 'M5.2 13.5V9a4.8 4.8 0 0 1 9.6 0v4.5l1.5 1.3H3.7zM8.4 17h3.2M3.5 3.5l13 13',
  keys: 'M2.8 5.5h14.4v9H2.8zM5.5 8.2h.01M8.5 8.2h.01M11.5 8.2h.01M14.5 8.2h.01M6.5 11.8h7',
  screen: 'M3 4.5h14v9H3zM7.5 16.5h5M10 13.5v3',
  more: 'M3.7 10a.8.8 0 1 0 1.6 0 .8.8 0 0 0-1.6 0M9.2 10a.8.8 0 1 0 1.6 0 .8.8 0 0 0-1.6 0M14.7 10a.8.8 0 1 0 1.6 0 .8.8 0 0 0-1.6 0',
  box: 'M3.5 4.5h13v3.2h-13zM4.7 7.7v8.3h10.6V7.7M8 11h4',
  people:
    'M7.5 4.2a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2zM2.8 16c.3-2.9 2.2-4.4 4.7-4.4s4.4 1.5 4.7 4.4M13 4.6a2.4 2.4 0 0 1 0 4.6M14.3 12c1.7.5 2.7 1.9 2.9 4',
  clock: 'M10 3.3a6.7 6.7 0 1 1 0 13.4 6.7 6.7 0 0 1 0-13.4zM10 6.5V10l2.5 1.7',
} as const;

export type IconName = keyof typeof strokes;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={strokes[name]} />
    </svg>
  );
}

/** The icon of Stop, a filled square. */
export function StopIcon() {
  return (
    <svg class="icon solid" width="14" height="14" viewBox="0 0 20 20" aria-hidden="true">
      <rect x="4" y="4" width="12" height="12" rx="2.5" />
    </svg>
  );
}

/** Parley's logo: two overlapping speech bubbles. */
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect class="mark-ground" width="32" height="32" rx="9" />
      <path
        class="mark-first"
        d="M8 12a4 4 0 0 1 4-4h5a4 4 0 0 1 4 4v2a4 4 0 0 1-4 4h-4l-3.4 2.6a1 1 0 0 1-1.6-.8z"
      />
      <path
        class="mark-second"
        d="M24 19a4 4 0 0 0-3-3.9 6 6 0 0 1-5.6 4.9h-2.3a4 4 0 0 0 3.9 3h2.6l2.8 2.2a1 1 0 0 0 1.6-.8z"
      />
    </svg>
  );
}
