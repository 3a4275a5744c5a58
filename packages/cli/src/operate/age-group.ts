export const AGE_GROUPS = ['under 1 h', '1 h to 1 d', '1 d to 7 d', 'over 7 d'] as const;
export type AgeGroup = (typeof AGE_GROUPS)[number];

const HOUR_MS = 3_600_000;

/** How long ago something died, in words few enough to count by. */
export function ageGroup(ageMs: number): AgeGroup {
  if (ageMs < HOUR_MS) return 'under 1 h';
  if (ageMs < 24 * HOUR_MS) return '1 h to 1 d';
  return ageMs < 7 * 24 * HOUR_MS ? '1 d to 7 d' : 'over 7 d';
}
