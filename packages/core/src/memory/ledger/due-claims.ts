/** What each claim of due work was granted, so that a repeated request finds the same and nothing else (PROTOCOL rule 4). */
export interface DueClaims<Item> {
  /** Null: this request is new. */
  grantedTo(requestId: string): readonly Item[] | null;
  remember(requestId: string, granted: readonly Item[], untilMs: number): void;
}

export function dueClaims<Item>(now: () => number): DueClaims<Item> {
  const claims = new Map<string, { readonly granted: readonly Item[]; readonly untilMs: number }>();

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
