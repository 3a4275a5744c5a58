import type { MessageContent } from '../model/delivery.ts';
import type { Target } from '../model/recipient.ts';
import type { Answer } from './lanes.ts';
import type { TargetPages } from './target-reader.ts';

/** What a content function came to: a message that nobody else holds, or why there is none. */
export type Made = Answer &
  (
    { readonly kind: 'made'; readonly message: MessageContent } | { readonly kind: 'unusable'; readonly reason: string }
  );

/** Whom a route named. */
export type Routed = Answer &
  (
    | /** Few enough for one page: frozen by the same call that adds the deliveries. */
      { readonly kind: 'page'; readonly targets: readonly Target[] }
      /** Many: to be drained into sealed pages. */
    | { readonly kind: 'pages'; readonly pages: TargetPages }
    | { readonly kind: 'failed'; readonly reason: string }
  );
