/** Neutralises names that people choose, and finds names that look alike. */

export { hides, isVisible, skeleton, visibleName } from '../core/names.ts';
