import type { DueClaims } from '../../records/store.ts';

export function dueClaims(now: () => number): DueClaims {
  const claims = new Map<string, { readonly granted: readonly string[]; readonly untilMs: number }>();

  function forgetLapsed(): void {
    for (const [requestId, { untilMs }] of claims) {
      if (untilMs > now()) return;
      claims.delete(requestId);
    }
  }

  return {
    grantedTo: (requestId) => claims.get(requestId)?.granted ?? null,
    remember(requestId, granted, untilMs) {
      forgetLapsed();
      claims.set(requestId, { granted, untilMs });
    },
  };
}
